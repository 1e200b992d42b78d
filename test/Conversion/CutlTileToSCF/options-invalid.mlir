// RUN: not cutl-opt %s --convert-cutl-tile-to-scf=grid=0 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not cutl-opt %s --convert-cutl-tile-to-scf=grid=65537 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not cutl-opt %s --convert-cutl-tile-to-scf=cta-order=sideways 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not cutl-opt %s --convert-cutl-tile-to-scf=cta-order=seed:x 2>&1 | FileCheck %s --check-prefix=SEED

// GRID: error: expected grid to be from 1 to 65536, got 0
// LARGE: error: expected grid to be from 1 to 65536, got 65537
// ORDER: error: expected cta-order to be forward, reverse or seed:N, got 'sideways'
// SEED: error: expected cta-order to be forward, reverse or seed:N, got 'seed:x'
module {}
