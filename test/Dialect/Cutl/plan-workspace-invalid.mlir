// RUN: cutl-opt %s --cutl-plan-workspace --split-input-file --verify-diagnostics

cutl.bundle @b {
  cutl.entry @planned(%workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected no intermediate in an entry whose workspace was planned}}
    %h = memref.alloc() : memref<4xf32>
    cutl.end_entry workspace(%c0)
  }
}

// -----

cutl.bundle @b {
  cutl.entry @layout(%workspace: memref<?xi8>) {
    // expected-error @below {{expected an intermediate of numbers in row-major order and in no memory space, got 'memref<4x4xf32, strided<[1, 4]>>'}}
    %h = memref.alloc() : memref<4x4xf32, strided<[1, 4]>>
  }
}

// -----

cutl.bundle @b {
  cutl.entry @space(%workspace: memref<?xi8>) {
    // expected-error @below {{expected an intermediate of numbers in row-major order and in no memory space, got 'memref<4xf32, 3>'}}
    %h = memref.alloc() : memref<4xf32, 3>
  }
}

// -----

cutl.bundle @b {
  cutl.entry @alignment(%workspace: memref<?xi8>) {
    // expected-error @below {{expected an alignment of at most 256 like that of the workspace, got 512}}
    %h = memref.alloc() {alignment = 512 : i64} : memref<4xf32>
  }
}

// -----

cutl.bundle @b {
  cutl.entry @nested(%n: index, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @below {{expected to stand in the entry itself, got one in 'scf.for'}}
      %h = memref.alloc() : memref<4xf32>
    }
  }
}

// -----

cutl.bundle @b {
  cutl.entry @loaded(%a: memref<index>, %workspace: memref<?xi8>) {
    %h0 = memref.alloc() : memref<4xf32>
    // expected-note @below {{which is here}}
    %n = memref.load %a[] : memref<index>
    // expected-error @below {{expected sizes that follow from the arguments of the entry, got one that depends on 'memref.load'}}
    %h1 = memref.alloc(%n) : memref<?xf32>
  }
}

// -----

cutl.bundle @b {
  // expected-error @below {{expected intermediates whose size in bytes fits 64 bits}}
  cutl.entry @huge(%workspace: memref<?xi8>) {
    %h = memref.alloc() : memref<4611686018427387904xf32>
  }
}
