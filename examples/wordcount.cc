// SPDX-License-Identifier: Apache-2.0
// Something to profile: generates a text, counts its words, looks for anagrams,
// and checks how well it compresses. `make demo` draws it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Gives a function its own frame, as larger ones have.
#define FRAME __attribute__((noinline))

namespace text {

class Author {
 public:
  explicit Author(std::uint64_t seed) : state_(seed) {}

  FRAME std::string write(std::size_t words) {
    std::string page;
    for (std::size_t i = 0; i < words; ++i) page += write_word() + " ";
    return page;
  }

 private:
  FRAME std::string write_word() {
    static constexpr std::string_view kSyllables[] = {
        "wi",  "ck", "fla", "me", "sta", "ck", "tra", "ce",
        "ro",  "ot", "le",  "af", "pro", "fi", "ler", "ca",
        "che", "lo", "op",  "in", "ter", "val"};
    std::string word;
    for (std::uint64_t left = 1 + next() % 4; left > 0; --left)
      word += kSyllables[next() % std::size(kSyllables)];
    return word;
  }

  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ >> 8;
  }

  std::uint64_t state_;
};

FRAME std::vector<std::string_view> split(std::string_view page) {
  std::vector<std::string_view> words;
  while (!page.empty()) {
    const std::size_t end = page.find(' ');
    words.push_back(page.substr(0, end));
    page.remove_prefix(end == page.npos ? page.size() : end + 1);
  }
  return words;
}

}  // namespace text

namespace statistics {

using Counts = std::unordered_map<std::string_view, int>;

FRAME Counts count(const std::vector<std::string_view>& words) {
  Counts counts;
  for (const std::string_view word : words) ++counts[word];
  return counts;
}

FRAME std::string letters_of(std::string_view word) {
  std::string letters(word);
  std::sort(letters.begin(), letters.end());
  return letters;
}

FRAME std::size_t anagrams(const Counts& counts) {
  std::map<std::string, int> groups;
  for (const auto& [word, times] : counts) ++groups[letters_of(word)];
  return static_cast<std::size_t>(
      std::count_if(groups.begin(), groups.end(),
                    [](const auto& g) { return g.second > 1; }));
}

}  // namespace statistics

namespace compress {

FRAME std::size_t match_length(std::string_view page, std::size_t a,
                               std::size_t b) {
  std::size_t n = 0;
  while (b + n < page.size() && page[a + n] == page[b + n] && n < 64) ++n;
  return n;
}

// The bytes that a simple coder with a window of 8 kB would need.
FRAME std::size_t packed_size(std::string_view page) {
  std::unordered_map<std::uint32_t, std::size_t> last;
  std::size_t size = 0;
  for (std::size_t at = 0; at + 4 <= page.size();) {
    std::uint32_t key = 0;
    for (int i = 0; i < 4; ++i)
      key = key << 8 |
            static_cast<unsigned char>(page[at + static_cast<std::size_t>(i)]);
    const auto [found, is_new] = last.try_emplace(key, at);
    const std::size_t n = is_new ? 0 : match_length(page, found->second, at);
    found->second = at;
    size += n >= 4 ? 3 : 1;
    at += std::max<std::size_t>(n, 1);
  }
  return size;
}

}  // namespace compress

struct Found {
  std::size_t words = 0, anagrams = 0, bytes = 0, packed = 0;
};

FRAME void read_book(std::uint64_t number, Found& found) {
  const std::string page = text::Author(number * 7919 + 1).write(40'000);
  const auto words = text::split(page);
  found.words += words.size();
  found.anagrams += statistics::anagrams(statistics::count(words));
  found.bytes += page.size();
  found.packed += compress::packed_size(page);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  const auto begin = std::chrono::steady_clock::now();
  Found found;
  std::uint64_t books = 0;
  while (std::chrono::steady_clock::now() - begin <
         std::chrono::duration<double>(seconds))
    read_book(++books, found);
  std::printf("%zu books: %zu words, %zu anagrams, packs to %zu%%\n",
              static_cast<std::size_t>(books), found.words, found.anagrams,
              books == 0 ? 0 : found.packed * 100 / found.bytes);
}
