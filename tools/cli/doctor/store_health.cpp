// Looks at the directory, then at what the store says of itself.

#include "tools/cli/doctor/store_health.hpp"

#include "schema/base/time.hpp"
#include "store/files/files.hpp"
#include "store/upkeep/look.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

namespace whence::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t bytes_per_edge = 35;        // of the graph in memory, nodes and ids included
constexpr std::uint64_t bytes_per_vertex = 100;     // columns, what writing remembers of a record; about
constexpr std::uint64_t replayed_many = 1'000'000;  // transactions that take a start some seconds
constexpr std::int64_t clock_slack_s = 60;

struct KnownFileSystem {
  std::uint64_t number;
  FileSystem is;
};
// Numbers of statfs(2); the names there are not all in <linux/magic.h>.
constexpr char const* network_why =
    "locks and mapped pages of other machines are not seen: two writers destroy a store";
constexpr std::array<KnownFileSystem, 11> file_systems = {{
    {0x6969, {Severity::fail, "NFS", network_why}},
    {0x517B, {Severity::fail, "SMB", network_why}},
    {0xFF534D42, {Severity::fail, "CIFS", network_why}},
    {0xFE534D42, {Severity::fail, "SMB2", network_why}},
    {0x01021997, {Severity::fail, "9p", network_why}},
    {0x00C36400, {Severity::fail, "Ceph", network_why}},
    {0x5346414F, {Severity::fail, "AFS", network_why}},
    {0x65735546, {Severity::warn, "FUSE", "whether a flush reaches the disk depends on the program behind it"}},
    {0x01021994, {Severity::warn, "tmpfs", "it is memory, and gone with the machine"}},
    {0x858458F6, {Severity::warn, "ramfs", "it is memory, and gone with the machine"}},
    {0x794C7630, {Severity::warn, "overlay", "it is the layer of a container, and gone with it"}},
}};

std::string quoted(fs::path const& path) {
  return path.string();
}

std::string octal(mode_t mode) {
  std::string text;
  for (int shift = 6; shift >= 0; shift -= 3) text.push_back(static_cast<char>('0' + ((mode >> shift) & 7U)));
  return text;
}

void look_at_rights(fs::path const& directory, Findings& out) {
  bool is_private = true;
  for (auto const& path : {directory, directory / "data.mdb", directory / "search.db", directory / "log.key"}) {
    struct stat found = {};
    if (::stat(path.c_str(), &found) != 0) continue;
    if ((found.st_mode & 077U) != 0) {
      is_private = false;
      out.warn("permissions",
               quoted(path) + " has mode " + octal(found.st_mode & 0777U) + ": others than its owner may use it",
               "chmod go= " + quoted(path));
    }
    if (found.st_uid != ::geteuid() && ::geteuid() != 0) {
      is_private = false;
      out.fail("permissions", quoted(path) + " belongs to another user (uid " + std::to_string(found.st_uid) + ")",
               "run as that user, or chown the directory");
    }
  }
  struct stat whole = {};
  struct stat data = {};
  bool const is_read = ::stat(directory.c_str(), &whole) == 0 && ::stat((directory / "data.mdb").c_str(), &data) == 0;
  if (is_read && whole.st_uid != data.st_uid) {
    is_private = false;
    out.fail("permissions", quoted(directory / "data.mdb") + " belongs to another user than its directory",
             "chown --reference=" + quoted(directory) + " " + quoted(directory) + "/*");
  }
  if (is_private) out.ok("permissions", "the store is its owner's alone");
}

void look_at_file_system(fs::path const& directory, Findings& out) {
  struct statfs found = {};
  if (::statfs(directory.c_str(), &found) != 0) return;
  auto const kind = file_system_of(static_cast<std::uint64_t>(found.f_type) & 0xFFFFFFFFU);
  if (kind.severity == Severity::ok) return out.ok("file-system", "a local file system");
  std::string says = quoted(directory) + " is on " + kind.name + ": " + kind.why;
  std::string remedy = "move the store to a local disk (ext4, xfs)";
  kind.severity == Severity::fail ? out.fail("file-system", std::move(says), std::move(remedy))
                                  : out.warn("file-system", std::move(says), std::move(remedy));
}

void look_at_memory(store::StoreLook const& look, Machine const& machine, Findings& out) {
  auto const needed = look.edges * bytes_per_edge + look.vertices * bytes_per_vertex;
  auto const says = "the graph takes about " + bytes_text(needed) + " of memory, and there are " +
                    (machine.memory_bytes == unlimited ? "?" : bytes_text(machine.memory_bytes));
  if (needed > machine.memory_bytes) return out.fail("graph-memory", says, "more memory, or a higher MemoryMax=");
  if (needed > machine.memory_bytes / 2) {
    return out.warn("graph-memory", says + "; requests may hold a quarter more", "plan for more memory");
  }
  out.ok("graph-memory", says);
}

void look_at_clock(store::StoreLook const& look, std::int64_t now_s, Findings& out) {
  if (look.tx == schema::TxId{0} || look.at.seconds <= now_s + clock_slack_s) return;
  out.fail("last-commit",
           "the last commit is of " + schema::format_rfc3339({look.at.seconds, 0}) + ", " +
               time_text(look.at.seconds - now_s) + " ahead of the clock: commit times stand still until then",
           "set the clock right (timedatectl); if it is right, it was ahead when the store was written");
}

void look_at_checkpoint(store::StoreLook const& look, Findings& out) {
  if (!look.checkpoint_fault.empty()) {
    return out.warn("checkpoint", look.checkpoint_fault + ": the next start replays the whole log",
                    "nothing; the server makes another. At once: whence checkpoint --db DIR");
  }
  auto const after = schema::number(look.tx) - std::min(schema::number(look.tx), schema::number(look.checkpoint));
  auto const says = std::to_string(after) + " transactions are replayed by the next start";
  if (after > replayed_many)
    return out.warn("checkpoint", says, "whence checkpoint --db DIR, or serve --checkpoint-edges");
  out.ok("checkpoint", says);
}

void look_at_index(fs::path const& directory, Findings& out) {
  constexpr std::string_view magic = "SQLite format 3";
  std::ifstream file{directory / "search.db", std::ios::binary};
  if (!file) return out.ok("search-index", "there is no index of texts; a server makes it while it serves");
  std::array<char, magic.size()> begin{};
  file.read(begin.data(), begin.size());
  if (std::string_view{begin.data(), static_cast<std::size_t>(file.gcount())} != magic) {
    return out.warn("search-index", "search.db is no index of texts", "nothing; the next start makes it again");
  }
  out.ok("search-index", "the index of texts is there");
}

void look_at_leftovers(fs::path const& directory, Findings& out) {
  std::error_code unknown;
  for (auto const* const page : {"meta-page-0.torn", "meta-page-1.torn"}) {
    if (!fs::exists(directory / page, unknown)) continue;
    out.warn("torn-page", quoted(directory / page) + ": the store was mended after a loss of power",
             "compare the last transaction with what clients know, run whence verify, then remove the file");
  }
  for (auto const& entry : fs::directory_iterator{directory, unknown}) {
    if (store::target_of_staging(entry.path().filename().string()) != "compact") continue;
    out.warn("compaction", quoted(entry.path()) + ": a compaction did not end", "nothing; the next start removes it");
  }
}

void look_at_format(store::StoreLook const& look, Findings& out) {
  auto const says = "format " + std::to_string(look.format) + " at transaction " +
                    std::to_string(schema::number(look.tx)) + ", " + std::to_string(look.vertices) + " nodes and " +
                    std::to_string(look.edges) + " edges";
  if (look.format == look.format_newest) return out.ok("store", says);
  out.warn("store", says + "; this program writes format " + std::to_string(look.format_newest),
           "whence compact --db DIR writes the store anew in it");
}

void look_at_holder(fs::path const& directory, store::StoreLook const& look, Findings& out) {
  if (look.holder) return out.ok("lock", "process " + std::to_string(*look.holder) + " holds the store");
  if (auto const left = store::find_stale_lock(directory)) {
    return out.ok("lock",
                  "process " + std::to_string(*left) + " held the store and has ended; the next start takes it");
  }
  out.ok("lock", "nobody holds the store");
}

}  // namespace

FileSystem file_system_of(std::uint64_t number) noexcept {
  auto const* const found = std::find_if(file_systems.begin(), file_systems.end(),
                                         [&](KnownFileSystem const& each) { return each.number == number; });
  return found == file_systems.end() ? FileSystem{} : found->is;
}

void look_at_disk(std::uint64_t free_bytes, std::uint64_t store_bytes, Findings& out) {
  auto const says = bytes_text(free_bytes) + " are free on the disk of the store, which has " + bytes_text(store_bytes);
  if (free_bytes < disk_free_fail) return out.fail("disk", says + ": writes will be refused", "make room at once");
  if (free_bytes < std::max(disk_free_warn, store_bytes / 2)) {
    return out.warn("disk", says + ": too few to grow by half, or to compact",
                    "make room, or move the store to a larger disk");
  }
  out.ok("disk", says);
}

void look_at_map(std::uint64_t store_bytes, std::uint64_t map_bytes, Findings& out) {
  auto const says =
      "the store has " + bytes_text(store_bytes) + " of the " + bytes_text(map_bytes) + " that it may grow to";
  if (static_cast<double>(store_bytes) > map_use_warn * static_cast<double>(map_bytes)) {
    return out.fail("map", says, "whence compact; lift ulimit -v, which bounds the map");
  }
  out.ok("map", says);
}

void look_at_backup(std::int64_t age_s, Findings& out) {
  char const* const remedy =
      "whence backup PATH, each day; with the package: systemctl enable --now whence-backup.timer";
  if (age_s < 0) return out.warn("backup", "there was no backup yet", remedy);
  auto const says = "the last backup is " + time_text(age_s) + " old";
  age_s > backup_age_warn_s ? out.warn("backup", says, remedy) : out.ok("backup", says);
}

void look_at_expiry(std::string const& what, std::int64_t left_s, std::string const& remedy, Findings& out) {
  if (left_s <= 0) return out.fail(what, "it has ended " + time_text(-left_s) + " ago", remedy);
  auto const says = "it ends in " + time_text(left_s);
  left_s < expiry_warn_s ? out.warn(what, says, remedy) : out.ok(what, says);
}

void look_at_store(fs::path const& directory, std::int64_t now_s, Machine const& machine, Findings& out) {
  std::error_code failed;
  if (!fs::is_directory(directory, failed)) {
    return out.fail("store", quoted(directory) + " is no directory" + (failed ? ": " + failed.message() : ""),
                    "name the store's directory with --db");
  }
  look_at_rights(directory, out);
  look_at_file_system(directory, out);
  look_at_leftovers(directory, out);
  try {
    auto const look = store::look_at(directory);
    if (!look) {
      return out.fail("store", look.error().message,
                      "whence verify --db " + quoted(directory) + " says more; else restore the last backup");
    }
    look_at_format(*look, out);
    look_at_holder(directory, *look, out);
    if (look->log) out.ok("replicated-log", "the store belongs to the log " + *look->log);
    auto const space = fs::space(directory, failed);
    if (!failed) look_at_disk(space.available, look->file_bytes, out);
    look_at_map(look->file_bytes, look->map_bytes, out);
    look_at_memory(*look, machine, out);
    look_at_clock(*look, now_s, out);
    look_at_checkpoint(*look, out);
    look_at_index(directory, out);
    look_at_backup(look->backup_s ? std::max<std::int64_t>(now_s - *look->backup_s, 0) : -1, out);
  } catch (std::system_error const& broken) {
    out.fail("store", std::string{"it cannot be read: "} + broken.what(),
             "look at the disk and at who may read the directory");
  }
}

}  // namespace whence::tools
