// RUN: cutl-opt %s --verify-diagnostics --cutl-tile-for-cpu='tile-m=0'
// RUN: cutl-opt %s --verify-diagnostics --cutl-tile-for-cpu='tile-n=-4'

// expected-error-re @below {{expected tile-m and tile-n to be at least 1, got {{0|-4}}}}
func.func @sizes() {
  return
}
