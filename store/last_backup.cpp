// Notes a backup beside the store.

#include "store/last_backup.hpp"

#include "store/files/files.hpp"

#include <exception>
#include <fstream>
#include <string>

#include <sys/stat.h>

namespace whence::store {

void note_backup(std::filesystem::path const& directory, schema::Time at, BackupResult const& backup) noexcept try {
  auto const file = directory / backup_stamp_name;
  auto const partial = directory / (std::string{backup_stamp_name} + ".partial");
  {
    std::ofstream out{partial, std::ios::trunc};
    out << R"({"at":")" << schema::format_rfc3339({at.seconds, 0}) << R"(","tx":)" << schema::number(backup.tx)
        << R"(,"bytes":)" << backup.bytes << "}\n";
    if (!out.flush()) return;
  }
  std::filesystem::permissions(partial, static_cast<std::filesystem::perms>(private_file_mode));
  rename_durably(partial, file);
} catch (std::exception const&) {  // no room, no permission: see the header
}

std::optional<std::int64_t> find_written_at_s(std::filesystem::path const& file) noexcept {
  struct stat found = {};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return found.st_mtim.tv_sec;
}

}  // namespace whence::store
