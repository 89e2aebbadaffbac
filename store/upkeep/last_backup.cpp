// Two files: `last-backup`, replaced as a whole by the newest backup, and `backups`, which gets a line for each,
// appended under a lock. A line without an end, of a write that was cut off, counts as none.

#include "store/upkeep/last_backup.hpp"

#include "store/files/destination.hpp"
#include "store/files/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::store {
namespace {

constexpr char const* last_backup_name = "last-backup";
constexpr char const* places_name = "backups";
constexpr off_t places_bytes_max = off_t{8} << 20;   ///< it is written anew then
constexpr off_t places_read_max = off_t{16} << 20;   ///< places_max of the longest paths have 4 MiB
constexpr std::size_t last_backup_bytes_max = 8192;  ///< a path has 4,096 at most

/// What is before the next separator; `text` begins after it.
std::string_view cut_before(std::string_view& text, char separator) {
  auto const end = text.find(separator);
  auto const part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

}  // namespace

namespace {

std::string line_of(LastBackup const& last) {
  return schema::format_rfc3339(last.at) + ' ' + std::to_string(schema::number(last.tx)) + ' ' + last.path + '\n';
}

/// One line without its end; nothing where it is none.
std::optional<LastBackup> parse_line(std::string_view text) {
  auto const at = schema::parse_rfc3339(cut_before(text, ' '));
  auto const tx_text = cut_before(text, ' ');
  std::uint64_t tx = 0;
  auto const [end, failed] = std::from_chars(tx_text.data(), tx_text.data() + tx_text.size(), tx);
  if (!at || failed != std::errc{} || end != tx_text.data() + tx_text.size()) return std::nullopt;
  return LastBackup{.at = *at, .tx = schema::TxId{tx}, .path = std::string{text}};
}

/// Adds `last`, which is the newest, in place of what its place had.
void add_place(std::vector<LastBackup>& places, LastBackup last) {
  auto const known = std::ranges::find(places, last.path, &LastBackup::path);
  if (known != places.end()) {
    last.earlier = std::move(known->earlier);
    if (last.earlier.empty() || last.earlier.back() < known->tx) last.earlier.push_back(known->tx);
    places.erase(known);
  }
  places.push_back(std::move(last));
}

/// Writes a file of the store's directory, whole or not at all.
void replace_file(std::filesystem::path const& store, std::string const& name, std::string const& text) {
  auto made = Destination::create(store / name, Destination::Shape::file, {.is_allowed = true});
  if (!made) throw std::system_error(std::make_error_code(std::errc::io_error), made.error().message);
  {
    auto const file = made->open({});
    file->write(text);
    static_cast<void>(file->finish());
  }
  made->commit();
}

/// The end of the text of the places, from the beginning of a line on.
std::string read_places(Descriptor const& file, std::filesystem::path const& path) {
  auto const size = ::lseek(file.get(), 0, SEEK_END);
  auto const begin = std::max<off_t>(0, size - places_read_max);
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, size - begin)), '\0');
  auto const got = ::pread(file.get(), text.data(), text.size(), begin);
  if (size < 0 || got < 0) throw_errno("read", path);
  text.resize(static_cast<std::size_t>(got));
  if (begin > 0) text.erase(0, text.find('\n') + 1);
  return text;
}

/// The same of the file of a store; empty where there is none.
std::string read_places(std::filesystem::path const& store) {
  auto const path = store / places_name;
  Descriptor const file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (file.get() >= 0) return read_places(file, path);
  if (errno == ENOENT) return {};
  throw_errno("open", path);
}

/// How many bytes at the end of `text` are no whole line.
std::size_t torn_bytes(std::string_view text) {
  return text.size() - (text.rfind('\n') + 1);
}

/// The file of the places, locked: a server and `whence backup --db` write one after the other. It is the one that its
/// name leads to, which another may have written anew meanwhile. A file system without such locks gives none.
Descriptor hold_places(std::filesystem::path const& path) {
  for (;;) {
    int const flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
    Descriptor file{::open(path.c_str(), flags, private_file_mode)};
    if (file.get() < 0) throw_errno("open", path);
    bool const is_locked = ::flock(file.get(), LOCK_EX) == 0;
    if (!is_locked && errno == EINTR) continue;
    struct stat held = {};
    struct stat named = {};
    if (!is_locked || ::fstat(file.get(), &held) != 0 || ::lstat(path.c_str(), &named) != 0) return file;
    if (held.st_dev == named.st_dev && held.st_ino == named.st_ino) return file;
  }
}

/// Adds a line, durably, in place of one that has no end. Where it does not fit, nothing of it is left.
void append_line(Descriptor const& file, std::filesystem::path const& path, std::string_view line) {
  auto const end = ::lseek(file.get(), 0, SEEK_END);
  auto const whole = end - static_cast<off_t>(torn_bytes(read_places(file, path)));
  if (end < 0 || (whole < end && ::ftruncate(file.get(), whole) != 0)) throw_errno("ftruncate", path);
  while (!line.empty()) {
    auto const written = ::write(file.get(), line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      auto const failed = errno;
      static_cast<void>(::ftruncate(file.get(), whole) == 0);  // else the next line is written in its place
      errno = failed;
      throw_errno("write", path);
    }
    line.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.get()) != 0) throw_errno("fsync", path);
}

/// A file that has become long is written anew with one line for each place.
void keep_place(std::filesystem::path const& store, LastBackup const& last) {
  auto const path = store / places_name;
  auto const file = hold_places(path);
  append_line(file, path, line_of(last));
  if (::lseek(file.get(), 0, SEEK_END) <= places_bytes_max) return;
  std::string text;
  for (auto const& each : find_backups(store)) text += line_of(each);
  replace_file(store, places_name, text);
}

}  // namespace

std::vector<LastBackup> find_backups(std::filesystem::path const& store) {
  std::vector<LastBackup> places;
  auto const text = read_places(store);
  std::string_view rest{text};
  rest.remove_suffix(torn_bytes(rest));
  while (!rest.empty()) {
    if (auto each = parse_line(cut_before(rest, '\n'))) add_place(places, *std::move(each));
  }
  if (places.empty()) {
    if (auto last = find_last_backup(store)) places.push_back(*std::move(last));
  }
  if (places.size() > places_max) places.erase(places.begin(), places.end() - places_max);
  return places;
}

bool is_list_torn(std::filesystem::path const& store) {
  return torn_bytes(read_places(store)) > 0;
}

std::optional<LastBackup> find_last_backup(std::filesystem::path const& store) {
  Descriptor const file{::open((store / last_backup_name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (file.get() < 0) return std::nullopt;
  std::array<char, last_backup_bytes_max> room;
  auto const got = ::read(file.get(), room.data(), room.size());
  if (got <= 0) return std::nullopt;
  std::string_view text{room.data(), static_cast<std::size_t>(got)};
  if (!text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  return parse_line(text);
}

void keep_last_backup(std::filesystem::path const& store, LastBackup const& last) {
  keep_place(store, last);
  replace_file(store, last_backup_name, line_of(last));
}

}  // namespace whence::store
