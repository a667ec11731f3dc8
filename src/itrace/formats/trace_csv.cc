// SPDX-License-Identifier: Apache-2.0
// The CSV of the RISC-V trace specification's reference flow. The first line
// names the columns, all numbers are hexadecimal, and there is no clock:
//
//   VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT
//   1,8000005c,3a079073,3,1,2,0,0
//
// ECAUSE keeps its value after the exception: only EXCEPTION and INTERRUPT show
// that an instruction trapped.
#include <array>
#include <memory>

#include "base/error.h"
#include "itrace/formats/line_trace.h"

namespace wick {
namespace {

enum Column {
  kValid,
  kAddress,
  kBits,
  kPrivilege,
  kException,
  kCause,
  kInterrupt,
  kColumns
};
constexpr std::array<std::string_view, kColumns> kNames = {
    "VALID",     "ADDRESS", "INSN",     "PRIVILEGE",
    "EXCEPTION", "ECAUSE",  "INTERRUPT"};
constexpr std::size_t kMaxFields = 32;

bool sniff_trace_csv(std::string_view head) {
  std::string_view names = take_line(head);
  bool has_valid = false, has_address = false;
  for (std::size_t i = 0; !names.empty() && i < kMaxFields; ++i) {
    const std::string_view name = trim(take_until(names, ','));
    has_valid |= name == kNames[kValid];
    has_address |= name == kNames[kAddress];
  }
  return has_valid && has_address;
}

class TraceCsvReader final : public LineTraceReader {
 public:
  explicit TraceCsvReader(InputFile& file) : LineTraceReader(file) {
    std::string_view head = file.head();
    header_ = take_line(head);
    std::string_view names = header_;
    for (std::size_t i = 0; !names.empty() && i < kMaxFields; ++i) {
      const std::string_view name = trim(take_until(names, ','));
      for (std::size_t column = 0; column < kColumns; ++column)
        if (kNames[column] == name) place_[column] = i;
    }
    if (place_[kValid] == kMaxFields || place_[kAddress] == kMaxFields)
      fail("the first line lacks the column VALID or ADDRESS");
    info_.has_bits = has(kBits);
    info_.has_privilege = has(kPrivilege);
    info_.has_traps = has(kException);
    info_.unit = "instructions";
    info_.layout = "CSV of the RISC-V trace specification";
  }

 private:
  bool has(Column column) const { return place_[column] < kMaxFields; }

  bool read_line(std::string_view line) override {
    if (line.empty() || line == header_) return true;
    std::array<std::uint64_t, kMaxFields + 1> fields{};
    LineCursor cursor(line);
    std::size_t count = 0;
    do {
      if (count == kMaxFields || !cursor.hex(fields[count])) return false;
      ++count;
    } while (cursor.text(","));
    if (!cursor.at_end()) return false;
    for (const std::size_t place : place_)
      if (place < kMaxFields && place >= count) return false;
    const auto value = [&](Column column) { return fields[place_[column]]; };
    if (value(kValid) == 0) return true;
    HartBlocks::Hart& hart = *harts_.hart(0);
    if (has(kPrivilege))
      harts_.set_context(hart, {.privilege = privilege_of(value(kPrivilege))});
    if (has(kBits))
      harts_.add(hart, hart.count, value(kAddress),
                 static_cast<std::uint32_t>(value(kBits)));
    else
      harts_.add(hart, hart.count, value(kAddress));
    if (value(kException) != 0 || value(kInterrupt) != 0)
      harts_.mark_trap(hart, value(kInterrupt) != 0, value(kCause));
    return true;
  }

  std::string header_;
  // The field of each column; kMaxFields, where fields[] is 0: none.
  std::array<std::size_t, kColumns> place_ = [] {
    std::array<std::size_t, kColumns> place{};
    place.fill(kMaxFields);
    return place;
  }();
};

}  // namespace

extern const TraceFormat trace_csv_trace = {
    .name = "riscv-csv",
    .description = "CSV of the RISC-V trace specification's reference flow",
    .evidence = TraceFormat::Evidence::kText,
    .sniff = sniff_trace_csv,
    .open =
        [](InputFile& file, const TraceOptions&) {
          return std::unique_ptr<TraceReader>(
              std::make_unique<TraceCsvReader>(file));
        },
};

}  // namespace wick
