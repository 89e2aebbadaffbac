#pragma once
// The tags of PackStream's structures, and the bytes that begin its values.

#include <cstdint>

namespace whence::net::bolt {

namespace pack {

// First bytes of values. The tiny forms hold a size below 16 in their low half.
inline constexpr std::uint8_t tiny_text = 0x80;
inline constexpr std::uint8_t tiny_list = 0x90;
inline constexpr std::uint8_t tiny_map = 0xA0;
inline constexpr std::uint8_t tiny_structure = 0xB0;
inline constexpr std::uint8_t null = 0xC0;
inline constexpr std::uint8_t real = 0xC1;
inline constexpr std::uint8_t no = 0xC2;
inline constexpr std::uint8_t yes = 0xC3;
inline constexpr std::uint8_t int_8 = 0xC8;
inline constexpr std::uint8_t int_16 = 0xC9;
inline constexpr std::uint8_t int_32 = 0xCA;
inline constexpr std::uint8_t int_64 = 0xCB;
inline constexpr std::uint8_t bytes_8 = 0xCC;  ///< followed by a size of 1 byte; the next two by one of 2 and 4
inline constexpr std::uint8_t text_8 = 0xD0;
inline constexpr std::uint8_t list_8 = 0xD4;
inline constexpr std::uint8_t map_8 = 0xD8;

// Tags of structures.
inline constexpr std::uint8_t node = 'N';
inline constexpr std::uint8_t relationship = 'R';
inline constexpr std::uint8_t unbound_relationship = 'r';
inline constexpr std::uint8_t path = 'P';
inline constexpr std::uint8_t date = 'D';
inline constexpr std::uint8_t time = 'T';
inline constexpr std::uint8_t local_time = 't';
inline constexpr std::uint8_t date_time = 'I';
inline constexpr std::uint8_t zoned_date_time = 'i';
inline constexpr std::uint8_t legacy_date_time = 'F';  ///< of 4.4: its seconds count as if the local time were UTC
inline constexpr std::uint8_t legacy_zoned_date_time = 'f';  ///< likewise
inline constexpr std::uint8_t local_date_time = 'd';
inline constexpr std::uint8_t duration = 'E';
inline constexpr std::uint8_t point_2d = 'X';
inline constexpr std::uint8_t point_3d = 'Y';

}  // namespace pack

}  // namespace whence::net::bolt
