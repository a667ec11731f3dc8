// SPDX-License-Identifier: Apache-2.0
// Decodes the bytes as what follows the checksum of a batch.
#include <cstdlib>

#include "base/bytes.h"
#include "base/fuzz_target.h"
#include "io/compress.h"
#include "server/batch/batch.h"

namespace wick {
namespace {

void decode_body(std::string_view body) {
  std::string bytes("wickbat\x01", 8);
  append_raw(bytes, crc32(body));
  bytes += body;
  const Batch batch = decode_batch(bytes);
  if (!check(batch.profile).empty()) std::abort();
  const Batch again = decode_batch(encode(batch));
  if (again.metrics != batch.metrics || again.busiest != batch.busiest)
    std::abort();
}

}  // namespace

extern const FuzzTarget batch_fuzz = {.name = "batch", .run = decode_body};

}  // namespace wick
