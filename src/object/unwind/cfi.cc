// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/cfi.h"

#include "base/signed_varint.h"

namespace wick {
namespace {

// DW_EH_PE_*: how a pointer is encoded, and what it is relative to.
enum : std::uint8_t {
  kAbsolute = 0x00,
  kUleb = 0x01,
  kUdata2 = 0x02,
  kUdata4 = 0x03,
  kUdata8 = 0x04,
  kSleb = 0x09,
  kSdata2 = 0x0a,
  kSdata4 = 0x0b,
  kSdata8 = 0x0c,
  kPcRelative = 0x10,
  kTextRelative = 0x20,
  kDataRelative = 0x30,
  kAligned = 0x50,
  kIndirect = 0x80,
  kEncodingOmit = 0xff,
};

template <class T>
std::uint64_t read_signed(ByteReader& reader) {
  return static_cast<std::uint64_t>(
      static_cast<std::int64_t>(reader.read<T>()));
}

std::uint64_t read_address(ByteReader& reader, int size) {
  if (size == 8) return reader.read<std::uint64_t>();
  if (size == 4) return reader.read<std::uint32_t>();
  if (size == 2) return reader.read<std::uint16_t>();
  reader.fail();
  return 0;
}

std::uint64_t read_format(ByteReader& reader, std::uint8_t encoding,
                          int address_size) {
  switch (encoding & 0x0f) {
    case kAbsolute:
      return read_address(reader, address_size);
    case kUleb:
      return reader.read_varint();
    case kUdata2:
      return reader.read<std::uint16_t>();
    case kUdata4:
      return reader.read<std::uint32_t>();
    case kUdata8:
      return reader.read<std::uint64_t>();
    case kSleb:
      return static_cast<std::uint64_t>(read_signed_varint(reader));
    case kSdata2:
      return read_signed<std::int16_t>(reader);
    case kSdata4:
      return read_signed<std::int32_t>(reader);
    case kSdata8:
      return read_signed<std::int64_t>(reader);
  }
  reader.fail();
  return 0;
}

void skip_to(ByteReader& reader, std::uint64_t left) {
  reader.read_bytes(reader.rest().size() - left);
}

// The letters of a CIE's augmentation. Those with data follow a 'z', which has
// the length of all data, so unknown ones can be skipped.
void read_augmentation(std::string_view letters, ByteReader& reader,
                       const CfiSection& section, Cie& cie) {
  if (letters.empty()) return;
  if (letters[0] != 'z') {
    // "eh", from before GCC 3, has one more pointer, already read.
    if (letters != "eh") reader.fail();
    return;
  }
  cie.augmented = true;
  const std::uint64_t size = reader.read_varint();
  if (!reader.fits(size, 1)) return reader.fail();
  const std::uint64_t left = reader.rest().size() - size;
  for (const char letter : letters.substr(1)) {
    if (letter == 'R') {
      cie.pointer_encoding = reader.read<std::uint8_t>();
    } else if (letter == 'L') {
      reader.read<std::uint8_t>();
    } else if (letter == 'P') {
      const auto encoding = reader.read<std::uint8_t>();
      if (encoding == kEncodingOmit) continue;
      if (reader.at_end()) return reader.fail();
      // Only the size of the personality pointer matters.
      read_encoded(
          reader, encoding & ~kIndirect, section,
          section.address + static_cast<std::uint64_t>(reader.rest().data() -
                                                       section.bytes.data()));
    } else if (letter == 'S') {
      cie.signal = true;
    } else if (letter != 'B' && letter != 'G') {
      break;  // the length of its data is unknown
    }
  }
  if (reader.failed() || reader.rest().size() < left) return reader.fail();
  skip_to(reader, left);
}

}  // namespace

std::uint64_t read_encoded(ByteReader& reader, std::uint8_t encoding,
                           const CfiSection& section, std::uint64_t at) {
  if ((encoding & 0x70) == kAligned) {
    const auto size = static_cast<std::uint64_t>(section.address_size);
    reader.read_bytes((size - at % size) % size);
    return read_address(reader, section.address_size);
  }
  std::uint64_t value = read_format(reader, encoding, section.address_size);
  switch (encoding & 0x70) {
    case 0:
      break;
    case kPcRelative:
      value += at;
      break;
    case kTextRelative:
      value += section.text_address;
      break;
    case kDataRelative:
      value += section.data_address;
      break;
    default:
      reader.fail();
      return 0;
  }
  if (section.address_size == 4) value &= 0xffffffff;
  if ((encoding & kIndirect) == 0) return value;
  if (!section.memory) {
    reader.fail();
    return 0;
  }
  ByteReader cell(
      section.memory(value, static_cast<std::uint64_t>(section.address_size)),
      section.swap);
  value = read_address(cell, section.address_size);
  if (cell.failed()) reader.fail();
  return value;
}

bool read_entry(const CfiSection& section, std::uint64_t offset,
                CfiEntry& entry) {
  if (offset >= section.bytes.size()) return false;
  ByteReader reader(section.bytes.substr(offset), section.swap);
  std::uint64_t length = reader.read<std::uint32_t>();
  std::uint64_t start = offset + 4;
  bool is_64 = false;
  if (length == 0xffffffff) {
    is_64 = true;
    length = reader.read<std::uint64_t>();
    start += 8;
  }
  if (reader.failed() || !reader.fits(length, 1)) return false;
  entry.next = start + length;
  if (length == 0) {
    entry = {.is_cie = false, .next = entry.next};
    return true;
  }
  // The id of .eh_frame has four bytes even if the length has eight.
  const bool wide = is_64 && !section.eh;
  const std::uint64_t id =
      wide ? reader.read<std::uint64_t>() : reader.read<std::uint32_t>();
  const std::uint64_t id_size = wide ? 8 : 4;
  if (reader.failed() || length < id_size) return false;
  entry.body_offset = start + id_size;
  entry.body = section.bytes.substr(entry.body_offset, length - id_size);
  if (section.eh) {
    entry.is_cie = id == 0;
    // Relative to the id, backwards.
    entry.cie_offset = start - id;
  } else {
    entry.is_cie = id == (wide ? ~std::uint64_t{0} : 0xffffffff);
    entry.cie_offset = id;
  }
  return true;
}

bool read_cie(const CfiSection& section, std::uint64_t offset, Cie& cie) {
  CfiEntry entry;
  if (!read_entry(section, offset, entry) || !entry.is_cie) return false;
  cie = {.address_size = section.address_size};
  ByteReader reader(entry.body, section.swap);
  const auto version = reader.read<std::uint8_t>();
  if (version != 1 && version != 3 && version != 4) return false;
  const std::size_t end = reader.rest().find('\0');
  if (end == std::string_view::npos) return false;
  const std::string_view letters = reader.read_bytes(end);
  reader.read<char>();
  if (letters == "eh") read_address(reader, section.address_size);
  if (version == 4) {
    cie.address_size = reader.read<std::uint8_t>();
    cie.segment_size = reader.read<std::uint8_t>();
  }
  cie.code_align = reader.read_varint();
  cie.data_align = read_signed_varint(reader);
  cie.ra_reg =
      version == 1 ? reader.read<std::uint8_t>() : reader.read_varint();
  read_augmentation(letters, reader, section, cie);
  cie.program = reader.rest();
  return !reader.failed() && cie.address_size <= 8 && cie.segment_size <= 8;
}

bool read_fde(const CfiSection& section, const CfiEntry& entry, const Cie& cie,
              Fde& fde) {
  ByteReader reader(entry.body, section.swap);
  reader.read_bytes(static_cast<std::uint64_t>(cie.segment_size));
  const auto at = [&] {
    return section.address + entry.body_offset + entry.body.size() -
           reader.rest().size();
  };
  std::uint64_t size;
  if (cie.pointer_encoding == kAbsolute) {
    fde.start = read_address(reader, cie.address_size);
    size = read_address(reader, cie.address_size);
  } else {
    fde.start = read_encoded(reader, cie.pointer_encoding, section, at());
    size = read_format(reader, cie.pointer_encoding, cie.address_size);
    if ((cie.pointer_encoding & 0x0f) == kSdata4) size &= 0xffffffff;
  }
  if (cie.augmented) reader.read_bytes(reader.read_varint());
  fde.program = reader.rest();
  fde.program_address = at();
  return !reader.failed() && !__builtin_add_overflow(fde.start, size, &fde.end);
}

}  // namespace wick
