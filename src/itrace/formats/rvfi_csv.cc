// SPDX-License-Identifier: Apache-2.0
// CSV whose first line names signals of the RISC-V Formal Interface, with or
// without "rvfi_" and in any order:
//
//   order,insn,trap,mode,pc_rdata,cycle
//   17,00000297,0,3,80000040,7564
//
// Only pc_rdata is required. cycle and hart are not signals of RVFI but what a
// test bench adds; they are decimal, the signals hexadecimal. Columns that are
// not used can contain anything.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "itrace/formats/line_trace.h"

namespace wick {
namespace {

struct RvfiLine {
  std::uint64_t pc = 0, bits = 0, trap = 0, intr = 0, mode = 0, valid = 1;
  std::uint64_t cycle = 0, hart = 0;
};
// Where the numbers of a column go; null: nowhere.
using RvfiColumn = std::uint64_t RvfiLine::*;

RvfiColumn column_of(std::string_view name) {
  static constexpr struct {
    std::string_view name;
    RvfiColumn column;
  } kRows[] = {
      {"pc_rdata", &RvfiLine::pc}, {"insn", &RvfiLine::bits},
      {"trap", &RvfiLine::trap},   {"intr", &RvfiLine::intr},
      {"mode", &RvfiLine::mode},   {"valid", &RvfiLine::valid},
      {"cycle", &RvfiLine::cycle}, {"hart", &RvfiLine::hart},
      {"hartid", &RvfiLine::hart},
  };
  constexpr std::string_view kPrefix = "rvfi_";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  for (const auto& row : kRows)
    if (row.name == name) return row.column;
  return nullptr;
}

// Takes a field and the comma after it from the front of `line`; nothing if a
// quote is not closed.
std::optional<std::string_view> take_field(std::string_view& line) {
  line = trim_left(line);
  if (!line.starts_with('"')) return trim_right(take_until(line, ','));
  std::size_t end = line.find('"', 1);
  // Two quotes are one of the text.
  while (end != line.npos && line.substr(end + 1).starts_with('"'))
    end = line.find('"', end + 2);
  if (end == line.npos) return {};
  const std::string_view field = trim(line.substr(1, end - 1));
  line.remove_prefix(end + 1);
  if (!trim(take_until(line, ',')).empty()) return {};
  return field;
}

bool has_column(const std::vector<RvfiColumn>& columns, RvfiColumn column) {
  return std::ranges::find(columns, column) != columns.end();
}

// The columns up to the last one that is used.
std::vector<RvfiColumn> columns_of(std::string_view header) {
  std::vector<RvfiColumn> columns;
  header = without_byte_order_mark(header);
  while (!header.empty()) {
    const auto name = take_field(header);
    if (!name) break;
    const RvfiColumn column = column_of(*name);
    columns.push_back(has_column(columns, column) ? nullptr : column);
  }
  while (!columns.empty() && columns.back() == nullptr) columns.pop_back();
  return columns;
}

bool sniff_rvfi_csv(std::string_view head) {
  const std::string_view header = take_line(head);
  return header.find("pc_rdata") != header.npos &&
         has_column(columns_of(header), &RvfiLine::pc);
}

bool parse_rvfi_number(std::string_view text, RvfiColumn column,
                       std::uint64_t& value) {
  LineCursor cursor(text);
  const bool is_prefixed = cursor.text("0x") || cursor.text("0X");
  const bool is_decimal =
      !is_prefixed && (column == &RvfiLine::cycle || column == &RvfiLine::hart);
  return (is_decimal ? cursor.decimal(value) : cursor.hex(value)) &&
         cursor.at_end();
}

class RvfiCsvReader final : public LineTraceReader {
 public:
  explicit RvfiCsvReader(InputFile& file) : LineTraceReader(file) {
    std::string_view head = file.head();
    header_ = take_line(head);
    columns_ = columns_of(header_);
    if (!has(&RvfiLine::pc)) fail("the first line lacks the column pc_rdata");
    info_.has_bits = has(&RvfiLine::bits);
    info_.has_privilege = has(&RvfiLine::mode);
    info_.has_traps = has(&RvfiLine::intr);
    has_cycle_ = has(&RvfiLine::cycle);
    if (!has_cycle_) info_.unit = "instructions";
    info_.layout = "CSV of RVFI signals";
  }

 private:
  bool has(RvfiColumn column) const { return has_column(columns_, column); }

  bool read_line(std::string_view text) override {
    if (text.empty() || text == header_) return true;
    RvfiLine line;
    for (const RvfiColumn column : columns_) {
      if (text.empty()) return false;
      const auto field = take_field(text);
      if (!field) return false;
      if (column != nullptr && !parse_rvfi_number(*field, column, line.*column))
        return false;
    }
    if (line.hart >= kMaxHarts || line.bits >> 32 != 0) return false;
    if (line.valid != 0) add(line);
    return true;
  }

  void add(const RvfiLine& line) {
    HartBlocks::Hart& hart =
        *harts_.hart(static_cast<std::uint32_t>(line.hart));
    if (info_.has_privilege)
      harts_.set_context(hart, {.privilege = privilege_of(line.mode)});
    if (line.hart >= has_trapped_.size()) has_trapped_.resize(line.hart + 1);
    // The first instruction of a handler, also after one that trapped.
    if (line.intr != 0 && !has_trapped_[line.hart])
      harts_.mark_trap_between(hart, has(&RvfiLine::trap), 0);
    has_trapped_[line.hart] = line.trap != 0;
    const std::uint64_t cycle = has_cycle_ ? line.cycle : hart.count;
    if (info_.has_bits)
      harts_.add(hart, cycle, line.pc, static_cast<std::uint32_t>(line.bits));
    else
      harts_.add(hart, cycle, line.pc);
    if (line.trap != 0) harts_.mark_trap(hart, false, 0);
  }

  std::string header_;
  std::vector<RvfiColumn> columns_;
  bool has_cycle_ = false;
  std::vector<bool> has_trapped_;  // by hart: its last instruction
};

}  // namespace

extern const TraceFormat rvfi_csv_trace = {
    .name = "rvfi-csv",
    .description = "CSV with columns named as RVFI signals",
    .evidence = TraceFormat::Evidence::kText,
    .sniff = sniff_rvfi_csv,
    .open =
        [](InputFile& file, const TraceOptions&) {
          return std::unique_ptr<TraceReader>(
              std::make_unique<RvfiCsvReader>(file));
        },
};

}  // namespace wick
