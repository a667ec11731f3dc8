// SPDX-License-Identifier: Apache-2.0
// Call frame information: .eh_frame and .debug_frame. A section is a sequence
// of entries. A CIE has what many functions share; an FDE has one function's
// addresses and a program that defines the rule at each of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/bytes.h"
#include "object/unwind/unwind_rule.h"

namespace wick {

struct CfiSection {
  std::string_view bytes;
  std::uint64_t address = 0;  // of the first byte, as the program sees it
  bool eh = true;             // .eh_frame, not .debug_frame
  bool swap = false;
  int address_size = 8;
  // The bases of textrel and datarel pointers.
  std::uint64_t text_address = 0, data_address = 0;
  // Bit r: unwinding needs register r. Rules omit the others.
  std::uint64_t tracked = (std::uint64_t{1} << kTrackedRegisters) - 1;
  // The bytes at an address of the program, for indirect pointers; may be
  // empty.
  std::function<std::string_view(std::uint64_t address, std::uint64_t size)>
      memory;
};

// Reads a pointer in a DW_EH_PE_* encoding. `at` is the address of the next
// byte. Marks the reader failed if the encoding is unknown.
std::uint64_t read_encoded(ByteReader& reader, std::uint8_t encoding,
                           const CfiSection& section, std::uint64_t at);

struct Cie {
  std::uint64_t code_align = 1;
  std::int64_t data_align = 1;
  std::uint64_t ra_reg = 0;
  std::uint8_t pointer_encoding = 0;  // DW_EH_PE_absptr
  bool augmented = false;             // FDEs have augmentation data
  bool signal = false;
  int address_size = 8, segment_size = 0;
  std::string_view program;
};

// The CIE at `offset`; false if there is none or it is damaged.
bool read_cie(const CfiSection& section, std::uint64_t offset, Cie& cie);

struct CfiEntry {
  bool is_cie = false;
  std::uint64_t cie_offset = 0;  // of an FDE
  std::string_view body;         // after the id
  std::uint64_t body_offset = 0;
  std::uint64_t next = 0;  // offset of the next entry
};

// The entry at `offset`; false if it does not fit into the section. An entry
// without a body is a terminator.
bool read_entry(const CfiSection& section, std::uint64_t offset,
                CfiEntry& entry);

struct Fde {
  std::uint64_t start = 0, end = 0;
  std::string_view program;
  std::uint64_t program_address = 0;
};
bool read_fde(const CfiSection& section, const CfiEntry& entry, const Cie& cie,
              Fde& fde);

}  // namespace wick
