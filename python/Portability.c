/* Portability.c - keeps the extension module's symbols at GLIBC 2.34.
 *
 * LLVM's archives and libstdc++.a call arc4random, which the C library has only since 2.36. Defining it here,
 * hidden, over getrandom (2.25) lets one binary run on every system that has 2.34.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t value;
  unsigned char *bytes = (unsigned char *)&value;
  size_t have = 0;
  while (have < sizeof value) {
    ssize_t got = getrandom(bytes + have, sizeof value - have, 0);
    if (got > 0)
      have += (size_t)got;
    else if (got < 0 && errno != EINTR)
      abort(); /* As arc4random does: there is no random number to return and no way to say so. */
  }
  return value;
}
