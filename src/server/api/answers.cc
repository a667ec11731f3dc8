// SPDX-License-Identifier: Apache-2.0
#include "server/api/answers.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <streambuf>
#include <utility>

#include "base/base64.h"
#include "base/error.h"
#include "base/text.h"
#include "server/store/store.h"

namespace wick {
namespace {

class BoundedBuffer : public std::streambuf {
 public:
  explicit BoundedBuffer(std::size_t most) : most_(most) {}
  std::string take() { return std::move(text_); }

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    if (text_.size() + static_cast<std::size_t>(count) > most_) return 0;
    text_.append(bytes, static_cast<std::size_t>(count));
    return count;
  }
  int_type overflow(int_type byte) override {
    const char c = traits_type::to_char_type(byte);
    return xsputn(&c, 1) == 1 ? byte : traits_type::eof();
  }

 private:
  std::size_t most_;
  std::string text_;
};

std::string source_of(std::string_view code) {
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(code.data(), code.size(), hash, &size, EVP_sha256(),
                 nullptr) != 1)
    fail("OpenSSL cannot compute a hash");
  return fmt::format(" 'sha256-{}'",
                     base64({reinterpret_cast<const char*>(hash), size}));
}

}  // namespace

std::string bounded_text(const std::function<void(std::ostream&)>& write,
                         std::size_t most) {
  BoundedBuffer buffer(most);
  std::ostream out(&buffer);
  write(out);
  if (out.bad())
    throw TooMuch(
        fmt::format("the answer would be larger than {}; ask for a shorter "
                    "time, a longer step or one process",
                    size_text(most)));
  return buffer.take();
}

HttpResponse json_answer(const std::function<void(JsonWriter&)>& write) {
  return {.type = "application/json; charset=utf-8",
          .body = bounded_text([&](std::ostream& out) {
            {
              JsonWriter json(out);
              write(json);
              json.flush();
            }
            out << '\n';
          })};
}

std::string time_number(std::int64_t ns) { return format_decimal(ns, 9); }

void write_time(JsonWriter& json, std::string_view key, std::int64_t ns) {
  json.key(key).raw(time_number(ns));
}

std::string page_policy(const std::vector<std::string>& inline_code) {
  std::string sources;
  for (const std::string& code : inline_code) sources += source_of(code);
  if (sources.empty()) sources = " 'none'";
  return fmt::format(
      "default-src 'none'; script-src{0}; style-src{0}; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'",
      sources);
}

}  // namespace wick
