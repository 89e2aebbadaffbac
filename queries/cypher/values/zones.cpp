// Reads the system's zone files (TZif, RFC 8536). Behind the last change that a file lists, its rule in the form of
// POSIX says the offset. A reading of the clock that comes twice, or never, has the offset of before the change.
#include "queries/cypher/values/zones.hpp"

#include "queries/cypher/values/calendar.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace whence::queries::cypher {
namespace {

constexpr std::int64_t day_seconds = 86'400;

/// Reads a POSIX TZ text such as `CET-1CEST,M3.5.0,M10.5.0/3`. Only rules of the form `Mm.w.d` are known; the others
/// are not found in today's zone files.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  /// The offset at a moment; none for a text of another form.
  std::optional<std::int32_t> offset_at(std::int64_t utc) {
    if (!name()) return std::nullopt;
    auto const standard = clock();
    if (!standard) return std::nullopt;
    if (at_ == text_.size()) return static_cast<std::int32_t>(-*standard);
    if (!name()) return std::nullopt;
    std::int64_t summer = *standard - 3600;
    if (at_ < text_.size() && text_[at_] != ',') {
      auto const own = clock();
      if (!own) return std::nullopt;
      summer = *own;
    }
    auto const year = civil_of(floor_div(utc - *standard, day_seconds)).year;
    auto const begin = change(year);
    auto const end = change(year);
    if (!begin || !end) return std::nullopt;
    auto const begin_utc = *begin + *standard;  // the signs of POSIX: west is positive
    auto const end_utc = *end + summer;
    bool const is_summer = begin_utc < end_utc ? utc >= begin_utc && utc < end_utc : utc >= begin_utc || utc < end_utc;
    return static_cast<std::int32_t>(-(is_summer ? summer : *standard));
  }

 private:
  bool name() {
    auto const start = at_;
    if (at_ < text_.size() && text_[at_] == '<') {
      at_ = text_.find('>', at_);
      if (at_ == std::string_view::npos) return false;
      ++at_;
      return true;
    }
    while (at_ < text_.size() && ((text_[at_] >= 'A' && text_[at_] <= 'Z') || (text_[at_] >= 'a' && text_[at_] <= 'z')))
      ++at_;
    return at_ != start;
  }
  std::optional<std::int64_t> number() {
    std::int64_t value = 0;
    auto const start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && at_ - start < 4)
      value = value * 10 + (text_[at_++] - '0');
    return at_ == start ? std::nullopt : std::optional{value};
  }
  std::optional<std::int64_t> clock() {
    std::int64_t sign = 1;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) sign = text_[at_++] == '-' ? -1 : 1;
    auto const hours = number();
    if (!hours) return std::nullopt;
    std::int64_t seconds = *hours * 3600;
    for (std::int64_t unit = 60; unit >= 1 && at_ < text_.size() && text_[at_] == ':'; unit /= 60) {
      ++at_;
      auto const part = number();
      if (!part) return std::nullopt;
      seconds += *part * unit;
    }
    return sign * seconds;
  }
  /// The next `,Mm.w.d/time` in a year, in seconds of the clock.
  std::optional<std::int64_t> change(std::int64_t year) {
    if (text_.substr(at_, 2) != ",M") return std::nullopt;
    at_ += 2;
    std::array<std::int64_t, 3> parts{};
    for (std::size_t i = 0; i < 3; ++i) {
      if (i != 0) {
        if (at_ >= text_.size() || text_[at_] != '.') return std::nullopt;
        ++at_;
      }
      auto const part = number();
      if (!part) return std::nullopt;
      parts[i] = *part;
    }
    if (parts[0] < 1 || parts[0] > 12 || parts[1] < 1 || parts[1] > 5 || parts[2] > 6) return std::nullopt;
    std::int64_t at = 7200;
    if (at_ < text_.size() && text_[at_] == '/') {
      ++at_;
      auto const own = clock();
      if (!own) return std::nullopt;
      at = *own;
    }
    auto const first = days_of(CivilDate{.year = year, .month = parts[0], .day = 1});
    auto const weekday = floor_mod(first + 4, 7);  // 0: Sunday
    auto day = first + floor_mod(parts[2] - weekday, 7) + (parts[1] - 1) * 7;
    if (day >= first + days_in_month(year, parts[0])) day -= 7;
    return day * day_seconds + at;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::int64_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
  if (size == 4) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return static_cast<std::int64_t>(value);
}

/// The counts of a header of RFC 8536.
struct Header {
  std::uint64_t utc = 0, standard = 0, leaps = 0, changes = 0, types = 0, letters = 0;
  [[nodiscard]] std::uint64_t size(std::uint64_t time_bytes) const {
    return changes * (time_bytes + 1) + types * 6 + letters + leaps * (time_bytes + 4) + standard + utc;
  }
};

std::optional<Header> header_of(std::string_view bytes, std::size_t at) {
  if (bytes.size() < at + 44 || bytes.substr(at, 4) != "TZif") return std::nullopt;
  auto const count = [&](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(big_endian(bytes, at + 20 + 4 * i, 4)));
  };
  Header const made{.utc = count(0),
                    .standard = count(1),
                    .leaps = count(2),
                    .changes = count(3),
                    .types = count(4),
                    .letters = count(5)};
  if (made.changes > 100'000 || made.types == 0 || made.types > 256) return std::nullopt;
  return made;
}

}  // namespace

std::int32_t ZoneRules::offset_at(std::int64_t utc) const {
  auto const after = std::ranges::upper_bound(changes, utc);
  if (after == changes.end() && !rule.empty() && !changes.empty()) {
    if (auto const found = RuleReader{rule}.offset_at(utc)) return *found;
  }
  return offsets[static_cast<std::size_t>(after - changes.begin())];
}

std::int32_t ZoneRules::offset_of_local(std::int64_t local) const {
  // The offsets a day before and after are the only candidates; the earlier one wins where both fit, and in a gap.
  auto const before = offset_at(local - day_seconds);
  auto const after = offset_at(local + day_seconds);
  if (offset_at(local - before) == before) return before;
  if (offset_at(local - after) == after) return after;
  return before;
}

std::optional<ZoneRules> parse_zone(std::string_view bytes) {
  auto const first = header_of(bytes, 0);
  if (!first || bytes[4] < '2') return std::nullopt;  // without 64-bit times
  auto const second_at = 44 + first->size(4);
  auto const header = header_of(bytes, second_at);
  if (!header || bytes.size() < second_at + 44 + header->size(8)) return std::nullopt;
  auto const times = second_at + 44;
  auto const kinds = times + header->changes * 8;
  auto const types = kinds + header->changes;
  ZoneRules made;
  auto const offset_of_type = [&](std::size_t type) {
    return static_cast<std::int32_t>(big_endian(bytes, types + type * 6, 4));
  };
  made.offsets.push_back(offset_of_type(0));
  for (std::size_t i = 0; i < header->changes; ++i) {
    auto const type = static_cast<unsigned char>(bytes[kinds + i]);
    if (type >= header->types) return std::nullopt;
    made.changes.push_back(big_endian(bytes, times + i * 8, 8));
    made.offsets.push_back(offset_of_type(type));
  }
  auto const footer = second_at + 44 + header->size(8);
  if (footer < bytes.size() && bytes[footer] == '\n') {
    auto const end = bytes.find('\n', footer + 1);
    if (end != std::string_view::npos) made.rule = std::string{bytes.substr(footer + 1, end - footer - 1)};
  }
  return made;
}

ZoneRules const* SystemZones::find(std::string_view name) const {
  if (auto const known = known_.find(name); known != known_.end()) return known->second.get();
  std::unique_ptr<ZoneRules> rules;
  // A name is path parts of letters, digits, `_`, `-` and `+`: nothing that leaves the folder.
  bool const is_name =
      !name.empty() && name.size() < 64 && name.front() != '/' && std::ranges::all_of(name, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
               c == '+' || c == '/';
      });
  if (is_name) {
    std::ifstream file{"/usr/share/zoneinfo/" + std::string{name}, std::ios::binary};
    std::string const bytes{std::istreambuf_iterator<char>{file}, {}};
    if (auto parsed = parse_zone(bytes)) rules = std::make_unique<ZoneRules>(*std::move(parsed));
  }
  if (known_.size() >= 1000) return nullptr;  // more names than there are zones: someone guesses
  return known_.emplace(std::string{name}, std::move(rules)).first->second.get();
}

}  // namespace whence::queries::cypher
