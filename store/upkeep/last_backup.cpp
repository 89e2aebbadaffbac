#include "store/upkeep/last_backup.hpp"

#include "store/files/files.hpp"
#include "store/files/output_file.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace whence::store {
namespace {

constexpr char const* last_backup_name = "last-backup";
constexpr std::size_t last_backup_bytes_max = 8192;  ///< a path has 4,096 at most

/// What stands before the next separator; `text` begins after it.
std::string_view cut_before(std::string_view& text, char separator) {
  auto const end = text.find(separator);
  auto const part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

}  // namespace

std::optional<LastBackup> find_last_backup(std::filesystem::path const& store) {
  Descriptor const file{::open((store / last_backup_name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (file.get() < 0) return std::nullopt;
  std::array<char, last_backup_bytes_max> room;
  auto const got = ::read(file.get(), room.data(), room.size());
  if (got <= 0) return std::nullopt;
  std::string_view text{room.data(), static_cast<std::size_t>(got)};
  auto const at = schema::parse_rfc3339(cut_before(text, ' '));
  auto const tx_text = cut_before(text, ' ');
  std::uint64_t tx = 0;
  auto const [end, failed] = std::from_chars(tx_text.data(), tx_text.data() + tx_text.size(), tx);
  bool const is_read = at && failed == std::errc{} && end == tx_text.data() + tx_text.size() && text.ends_with('\n');
  if (!is_read) return std::nullopt;
  text.remove_suffix(1);
  return LastBackup{.at = *at, .tx = schema::TxId{tx}, .path = std::string{text}};
}

void keep_last_backup(std::filesystem::path const& store, LastBackup const& last) {
  auto const made = store / "last-backup.partial";
  {
    int const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    Descriptor descriptor{::open(made.c_str(), flags, private_file_mode)};
    if (descriptor.get() < 0) throw_errno("open", made);
    OutputFile file{std::move(descriptor), made.string()};
    file.write(schema::format_rfc3339(last.at) + ' ' + std::to_string(schema::number(last.tx)) + ' ' + last.path +
               '\n');
    static_cast<void>(file.finish());
  }
  rename_durably(made, store / last_backup_name);
}

}  // namespace whence::store
