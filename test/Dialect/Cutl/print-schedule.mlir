// RUN: cutl-opt %s --split-input-file --cutl-attach-target=chip=sm_90a --cutl-print-schedule -o /dev/null | FileCheck %s
// RUN: cutl-opt %s --split-input-file --cutl-attach-target=chip=sm_90a --cutl-print-schedule=svg -o /dev/null | FileCheck %s --check-prefix=SVG

// The pictures in the documentation are up to date.
// RUN: cutl-opt %S/../../../docs/images/data-parallel.mlir --cutl-configure=chip=sm_90a --cutl-print-schedule=svg -o /dev/null \
// RUN:   | diff %S/../../../docs/images/data-parallel.svg -
// RUN: cutl-opt %S/../../../docs/images/stream-k.mlir --cutl-configure=chip=sm_90a --cutl-print-schedule=svg -o /dev/null \
// RUN:   | diff %S/../../../docs/images/stream-k.svg -

// Five tiles on two CTAs. The last wave has one.
// CHECK:      640x128x256 bf16 k_major * bf16 k_major -> f32 -> f32, on at most 2 SMs
// CHECK-NEXT: 128x128x64 cooperative, 4 stages: 5 tiles of 4 k iterations
// CHECK-NEXT: #cutl.data_parallel on 2 of the 2 CTAs that run at once
// CHECK-NEXT: CTA 0: tile 0 k 0..4; tile 2 k 0..4; tile 4 k 0..4
// CHECK-NEXT: CTA 1: tile 1 k 0..4; tile 3 k 0..4
// CHECK-EMPTY:

// SVG:      <svg xmlns="http://www.w3.org/2000/svg" width="860" height="{{[0-9]+}}" viewBox="0 0 860 {{[0-9]+}}"
// SVG:        <pattern id="part"
// SVG:        <g class="schedule" transform="translate(0 0)">
// SVG-NEXT:   >640x128x256 bf16 k_major * bf16 k_major -&gt; f32 -&gt; f32, on at most 2 SMs</text>
// SVG-SAME:   >128x128x64 cooperative, 4 stages: 5 tiles of 4 k iterations</text>
// SVG-SAME:   >#cutl.data_parallel on 2 of the 2 CTAs that run at once</text>
// SVG-NEXT:   <g class="axes"
// SVG-SAME:   >time in k iterations; an epilogue, a write of a partial result and adding up are drawn as 1</text>
// SVG-SAME:   >CTA</text>
// A unit is its k iterations, 40 pixels each, and the epilogue as long as one; the number of its tile is in it.
// SVG-NEXT:   <g class="unit"><title>tile 0 (m 0, n 0, batch 0), k 0..4</title><rect x="64" y="[[ROW0:[0-9]+]]" width="200" height="17" fill="#[[COLOUR:[0-9a-f]+]]"/><rect x="224" y="[[ROW0]]" width="40" height="17" fill="#666"/>
// SVG-SAME:     >0</text></g>
// SVG-NEXT:   <g class="unit"><title>tile 2 (m 2, n 0, batch 0), k 0..4</title><rect x="264" y="[[ROW0]]"
// SVG-NEXT:   <g class="unit"><title>tile 4 (m 4, n 0, batch 0), k 0..4</title><rect x="464" y="[[ROW0]]"
// SVG-NEXT:   <g class="unit"><title>tile 1 (m 1, n 0, batch 0), k 0..4</title><rect x="64" y="88"
// SVG-NEXT:   <g class="unit"><title>tile 3 (m 3, n 0, batch 0), k 0..4</title>
// SVG-NEXT:   <g class="legend">
// SVG-SAME:     >k iterations of a tile, by its number</text>
// SVG-SAME:     >epilogue</text>
// SVG-NOT:      partial
// SVG-SAME:     >idle</text></g>
// SVG-NEXT:   </g>
// SVG-NEXT: </svg>
func.func @data_parallel(%a: memref<640x256xbf16>, %b: memref<128x256xbf16>, %d: memref<640x128xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 2)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<640x256xbf16>, memref<128x256xbf16>, memref<640x128xf32>) -> ()
  return
}

// -----

// Workers are clusters, and tiles are theirs. The unit that writes its part last adds up.
// CHECK:      128x128x64 cooperative, 4 stages, cluster 2x1: 3 tiles of 4 k iterations
// CHECK-NEXT: #cutl.stream_k on 2 of the 2 clusters of 2x1 CTAs that run at once
// CHECK-NEXT: cluster 0: tile 0 k 0..4; tile 1 k 0..2 part, adds up
// CHECK-NEXT: cluster 1: tile 1 k 2..4 part; tile 2 k 0..4
// CHECK-EMPTY:

// SVG:        >#cutl.stream_k on 2 of the 2 clusters of 2x1 CTAs that run at once</text>
// SVG:        >cluster</text>
// SVG-NEXT:   <title>tile 0 (m 0, n 0, batch 0), k 0..4</title>
// SVG-NEXT:   <title>tile 1 (m 1, n 0, batch 0), k 0..2, part in slot 1, the last to arrive</title>
// SVG-SAME:     <rect x="344" {{[^>]*}} width="40" height="17" fill="url(#part)"/><rect x="384" {{[^>]*}} width="40" height="17" fill="#b3261e"/>
// SVG-NEXT:   <title>tile 1 (m 1, n 0, batch 0), k 2..4, part in slot 2</title>
// SVG-SAME:     <rect x="144" {{[^>]*}} width="40" height="17" fill="url(#part)"/><text
// SVG-NEXT:   <title>tile 2 (m 2, n 0, batch 0), k 0..4</title>
// SVG:        >partial result written</text>
// SVG-SAME:   >last to arrive: adds up, epilogue</text>
func.func @stream_k(%a: memref<768x256xbf16>, %b: memref<128x256xbf16>, %d: memref<768x128xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 5)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative, cluster = [2, 1]>) schedule(#cutl.stream_k) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<768x256xbf16>, memref<128x256xbf16>, memref<768x128xf32>) -> ()
  return
}

// -----

// Every unit of split_k leaves a part, and another kernel adds them up. Without k there is still an epilogue. Several
// products make one drawing.
// CHECK:      #cutl.split_k<2> on 3 of the 3 CTAs that run at once
// CHECK-NEXT: CTA 0: tile 0 k 0..2 part; tile 1 k 2..4 part
// CHECK-NEXT: CTA 1: tile 1 k 0..2 part
// CHECK-NEXT: CTA 2: tile 0 k 2..4 part
// CHECK-NEXT: another kernel adds up
// CHECK-EMPTY:
// CHECK-NEXT: 256x128x0 bf16
// CHECK:      CTA 0: tile 0 k 0..0
// CHECK-NEXT: CTA 1: tile 1 k 0..0

// SVG:        <svg
// SVG-NOT:    <svg
// SVG:        <g class="schedule" transform="translate(0 0)">
// SVG:        >#cutl.split_k&lt;2&gt; on 3 of the 3 CTAs that run at once</text>
// SVG:        <title>tile 0 (m 0, n 0, batch 0), k 0..2, part in slot 0</title>
// SVG-NEXT:   <title>tile 1 (m 1, n 0, batch 0), k 2..4, part in slot 3</title>
// SVG-NEXT:   <title>tile 1 (m 1, n 0, batch 0), k 0..2, part in slot 2</title>
// SVG-NEXT:   <title>tile 0 (m 0, n 0, batch 0), k 2..4, part in slot 1</title>
// SVG-NEXT:   <g class="adding"><title>another kernel adds up the parts</title><rect x="304" y="70" width="40" height="54"
// SVG-NEXT:   >partial result written</text>
// SVG-SAME:   >another kernel adds up</text>
// SVG:        <g class="schedule" transform="translate(0 200)">
// SVG:        <title>tile 0 (m 0, n 0, batch 0), k 0..0</title>
// SVG-NEXT:   <title>tile 1 (m 1, n 0, batch 0), k 0..0</title>
func.func @split_k(%a: memref<256x256xbf16>, %b: memref<128x256xbf16>, %d: memref<256x128xf32>,
                   %e: memref<256x0xbf16>, %f: memref<128x0xbf16>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 3)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>) schedule(#cutl.split_k<2>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<256x256xbf16>, memref<128x256xbf16>, memref<256x128xf32>) -> ()
  cutl.gemm ins(%e : (m, k), %f : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>) schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<256x0xbf16>, memref<128x0xbf16>, memref<256x128xf32>) -> ()
  return
}

// -----

// Parts that meet: the last of a tile's to arrive adds them up. Where they add as they arrive they share a slot. Where
// they take turns, each waits for the part before.
// CHECK:      #cutl.split_k<2, reduction = last_arriver> on 3 of the 3 CTAs that run at once
// CHECK-NEXT: CTA 0: tile 0 k 0..2 part; tile 1 k 2..4 part, adds up
// CHECK-NEXT: CTA 1: tile 1 k 0..2 part
// CHECK-NEXT: CTA 2: tile 0 k 2..4 part, adds up
// CHECK-EMPTY:
// CHECK:      #cutl.split_k<2, reduction = arrival_order> on 3 of the 3 CTAs that run at once
// CHECK-NEXT: CTA 0: tile 0 k 0..2 part; tile 1 k 2..4 part, adds up
// CHECK:      #cutl.split_k<2, reduction = turnstile> on 3 of the 3 CTAs that run at once
// CHECK-NEXT: CTA 0: tile 0 k 0..2 part; tile 1 k 0..2 part
// CHECK-NEXT: CTA 1: tile 0 k 2..4 part, adds up
// CHECK-NEXT: CTA 2: tile 1 k 2..4 part, adds up

// SVG:        >#cutl.split_k&lt;2, reduction = last_arriver&gt; on 3 of the 3 CTAs that run at once</text>
// SVG:        <title>tile 0 (m 0, n 0, batch 0), k 0..2, part in slot 0</title>
// SVG-NEXT:   <title>tile 1 (m 1, n 0, batch 0), k 2..4, part in slot 3, the last to arrive</title>
// SVG-NEXT:   <title>tile 1 (m 1, n 0, batch 0), k 0..2, part in slot 2</title>
// SVG-NEXT:   <title>tile 0 (m 0, n 0, batch 0), k 2..4, part in slot 1, the last to arrive</title>
// SVG:        >#cutl.split_k&lt;2, reduction = arrival_order&gt; on 3 of the 3 CTAs that run at once</text>
// SVG:        <title>tile 0 (m 0, n 0, batch 0), k 0..2, part in slot 0</title>
// SVG-NEXT:   <title>tile 1 (m 1, n 0, batch 0), k 2..4, part in slot 1, the last to arrive</title>
// The unit of two iterations is done as early as the one before, and writes after it.
// SVG:        >#cutl.split_k&lt;2, reduction = turnstile&gt; on 3 of the 3 CTAs that run at once</text>
// SVG:        <title>tile 0 (m 0, n 0, batch 0), k 2..4, part in slot 1, the last to arrive</title>
// SVG-SAME:   <rect x="64" {{.*}} width="80" {{.*}}<rect x="184"
func.func @meeting(%a: memref<256x256xbf16>, %b: memref<128x256xbf16>, %d: memref<256x128xf32>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 3)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<2, reduction = last_arriver>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<256x256xbf16>, memref<128x256xbf16>, memref<256x128xf32>) -> ()
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(deterministic = false, sm_budget = 3)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<2, reduction = arrival_order>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<256x256xbf16>, memref<128x256xbf16>, memref<256x128xf32>) -> ()
  cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(sm_budget = 3)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<2, reduction = turnstile>) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (memref<256x256xbf16>, memref<128x256xbf16>, memref<256x128xf32>) -> ()
  return
}
