// Lines of `name=value` in a fixed order, with the SHA-256 of all of them behind. Reading is strict: segments follow
// each other without a gap, and times never go back.

#include "store/backups/manifest.hpp"

#include "store/backups/segment.hpp"
#include "store/files/files.hpp"
#include "store/files/replace_file.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace whence::store {
namespace {

using schema::Digest;
using schema::Time;
using schema::TxId;

constexpr std::string_view first_line = "whence-backup-set 1";
constexpr std::size_t manifest_bytes_max = std::size_t{64} << 20;
constexpr std::size_t tx_digits = 20;

std::string padded(TxId tx) {
  std::string digits = std::to_string(schema::number(tx));
  return std::string(tx_digits - digits.size(), '0') + digits;
}

std::string text_of(TxId tx) {
  return std::to_string(schema::number(tx));
}

/// Reads the words `name=value` of a line, in their order. The first that is wrong makes all wrong.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_{line} {}

  void word(std::string_view expected) {
    if (take_word() != expected) wrong_ = std::string{expected};
  }
  std::string_view value(std::string_view name) {
    auto word = take_word();
    if (!word.starts_with(name) || word.size() <= name.size() || word[name.size()] != '=') {
      wrong_ = std::string{name};
      return {};
    }
    return word.substr(name.size() + 1);
  }
  std::uint64_t number(std::string_view name) {
    auto const text = value(name);
    std::uint64_t number = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool const is_number = failed == std::errc{} && end == text.data() + text.size() && std::to_string(number) == text;
    if (!is_number) wrong_ = std::string{name};
    return number;
  }
  Digest digest(std::string_view name) { return or_wrong(schema::digest_from_hex(value(name)), name); }
  Time time(std::string_view name) { return or_wrong(schema::parse_rfc3339(value(name)), name); }

  /// What is wrong; nothing where the line is read to its end.
  [[nodiscard]] std::optional<std::string> find_wrong() const {
    if (!wrong_.empty()) return "`" + wrong_ + "` is missing or does not read";
    return rest_.empty() ? std::nullopt : std::optional<std::string>{"it goes on where it should end"};
  }

 private:
  std::string_view take_word() {
    auto const end = std::min(rest_.find(' '), rest_.size());
    auto const word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }
  template <class T>
  T or_wrong(std::optional<T> const& read, std::string_view name) {
    if (!read && wrong_.empty()) wrong_ = std::string{name};
    return read.value_or(T{});
  }

  std::string_view rest_;
  std::string wrong_ = {};
};

/// Lines one after the other, counted.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_{text} {}
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
  std::string_view next() {
    auto const end = std::min(rest_.find('\n'), rest_.size());
    auto const line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++count_;
    return line;
  }
  [[nodiscard]] Error wrong(std::string const& what) const {
    return {Errc::corrupt, "line " + std::to_string(count_) + ": " + what};
  }

 private:
  std::string_view rest_;
  std::size_t count_ = 0;
};

bool is_epoch(std::string_view text) {
  return text.size() == 36 && text.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

Result<SegmentEntry> parse_segment(std::string_view text, Manifest const& before, Lines const& lines) {
  LineReader line{text};
  line.word("segment");
  SegmentEntry entry{.from = TxId{line.number("from")}, .to = TxId{line.number("to")}};
  entry.first = line.time("first");
  entry.last = line.time("last");
  entry.purged = line.number("purged");
  entry.leaf = line.digest("leaf");
  entry.bytes = line.number("bytes");
  entry.sha256 = line.digest("sha256");
  if (auto const wrong = line.find_wrong()) return lines.wrong(*wrong);
  if (entry.from != schema::next(before.last())) {
    return lines.wrong("the segment begins with transaction " + text_of(entry.from) + ", the one before ends with " +
                       text_of(before.last()));
  }
  if (entry.to < entry.from) return lines.wrong("the segment ends before it begins");
  if (entry.first < before.last_at() || entry.last < entry.first) return lines.wrong("its times are out of order");
  return entry;
}

Result<Manifest> parse_lines(Lines& lines) {
  Manifest manifest;
  if (lines.next() != first_line) return lines.wrong("this is no manifest of a form that is known here");
  LineReader about{lines.next()};
  manifest.epoch = about.value("epoch");
  manifest.created = about.time("created");
  manifest.updated = about.time("updated");
  if (auto const wrong = about.find_wrong()) return lines.wrong(*wrong);
  if (!is_epoch(manifest.epoch)) return lines.wrong("`epoch` is missing or does not read");
  LineReader base{lines.next()};
  base.word("base");
  manifest.base.tx = TxId{base.number("tx")};
  manifest.base.leaf = base.digest("leaf");
  manifest.base.at = base.time("at");
  manifest.base.bytes = base.number("bytes");
  manifest.base.sha256 = base.digest("sha256");
  if (auto const wrong = base.find_wrong()) return lines.wrong(*wrong);
  while (!lines.is_at_end()) {
    if (manifest.segments.size() == segments_max) return lines.wrong("there are too many segments");
    auto const segment = parse_segment(lines.next(), manifest, lines);
    if (!segment) return segment.error();
    manifest.segments.push_back(*segment);
  }
  return manifest;
}

Result<std::string> read_text(std::filesystem::path const& path) {
  auto const file = open_plain_file(path);
  if (!file) return file.error();
  std::string text;
  std::string room(std::size_t{64} << 10, '\0');
  for (;;) {
    auto const got = ::read(file->get(), room.data(), room.size());
    if (got < 0) throw_errno("read", path);
    if (got == 0) return text;
    text.append(room, 0, static_cast<std::size_t>(got));
    if (text.size() > manifest_bytes_max) return Error{Errc::corrupt, path.string() + " is too long for a manifest"};
  }
}

}  // namespace

std::string SegmentEntry::name() const {
  return "segment-" + padded(from) + "-" + padded(to) + ".zst";
}

std::string to_text(Manifest const& manifest) {
  auto const& base = manifest.base;
  std::string text = std::string{first_line} + "\nepoch=" + manifest.epoch +
                     " created=" + schema::format_rfc3339(manifest.created) +
                     " updated=" + schema::format_rfc3339(manifest.updated) + "\nbase tx=" + text_of(base.tx) +
                     " leaf=" + schema::to_hex(base.leaf) + " at=" + schema::format_rfc3339(base.at) +
                     " bytes=" + std::to_string(base.bytes) + " sha256=" + schema::to_hex(base.sha256) + '\n';
  for (auto const& each : manifest.segments) {
    text += "segment from=" + text_of(each.from) + " to=" + text_of(each.to) +
            " first=" + schema::format_rfc3339(each.first) + " last=" + schema::format_rfc3339(each.last) +
            " purged=" + std::to_string(each.purged) + " leaf=" + schema::to_hex(each.leaf) +
            " bytes=" + std::to_string(each.bytes) + " sha256=" + schema::to_hex(each.sha256) + '\n';
  }
  return text + "sum " + schema::to_hex(schema::sha256(text)) + '\n';
}

Result<Manifest> parse_manifest(std::string_view text) {
  auto const sum_at = text.rfind("sum ");
  bool const has_sum = sum_at != std::string_view::npos && sum_at > 0 && text[sum_at - 1] == '\n';
  if (!has_sum) return Error{Errc::corrupt, "it is cut short: its last line is no sum"};
  auto const lines_text = text.substr(0, sum_at);
  if (text.substr(sum_at) != "sum " + schema::to_hex(schema::sha256(lines_text)) + '\n') {
    return Error{Errc::corrupt, "its sum is not that of its lines: it was altered or is damaged"};
  }
  Lines lines{lines_text};
  return parse_lines(lines);
}

Result<Manifest> read_manifest(std::filesystem::path const& directory) {
  auto const path = directory / manifest_name;
  auto const text = read_text(path);
  if (!text) return text.error();
  auto manifest = parse_manifest(*text);
  if (manifest) return manifest;
  return Error{manifest.error().code, path.string() + ": " + manifest.error().message};
}

void write_manifest(std::filesystem::path const& directory, Manifest const& manifest) {
  replace_file(directory / manifest_name, to_text(manifest));
}

}  // namespace whence::store
