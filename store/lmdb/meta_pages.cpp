// Offsets are those of LMDB 0.9 on 64-bit little-endian machines (MDB_page, MDB_meta and MDB_db in its mdb.c).

#include "store/lmdb/meta_pages.hpp"

#include "store/files/files.hpp"
#include "store/rows/bytes.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::store {
namespace {

constexpr std::size_t meta_bytes = 152;
constexpr std::uint16_t meta_page_flag = 0x08;
constexpr std::uint32_t lmdb_magic = 0xBEEFC0DE;
constexpr std::uint32_t lmdb_data_version = 1;
constexpr std::uint16_t integer_key_flag = 0x08;
constexpr std::uint64_t no_page = ~std::uint64_t{0};

/// One of the two trees a meta page roots: pages that are free, and the table of tables.
struct Tree {
  std::uint32_t pad;  ///< of the free tree: the page size
  std::uint16_t flags;
  std::uint16_t depth;
  std::uint64_t branch_pages;
  std::uint64_t leaf_pages;
  std::uint64_t overflow_pages;
  std::uint64_t entries;
  std::uint64_t root;

  bool read(ByteReader& in) {
    return in.fixed(pad) && in.fixed(flags) && in.fixed(depth) && in.fixed(branch_pages) && in.fixed(leaf_pages) &&
           in.fixed(overflow_pages) && in.fixed(entries) && in.fixed(root);
  }
};

struct Meta {
  std::uint64_t number;
  std::uint16_t pad;
  std::uint16_t page_flags;
  std::uint32_t bounds;
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t address;
  std::uint64_t map_bytes;
  Tree free;
  Tree main;
  std::uint64_t last_page;
  std::uint64_t txn;

  bool read(ByteReader in) {
    return in.fixed(number) && in.fixed(pad) && in.fixed(page_flags) && in.fixed(bounds) && in.fixed(magic) &&
           in.fixed(version) && in.fixed(address) && in.fixed(map_bytes) && free.read(in) && main.read(in) &&
           in.fixed(last_page) && in.fixed(txn);
  }
};

/// What is wrong with the page in `slot` by itself; nothing where it is fine.
char const* find_fault(Meta const& meta, std::uint64_t slot) {
  if (meta.magic != lmdb_magic || meta.page_flags != meta_page_flag || meta.number != slot)
    return "is no LMDB meta page";
  if (meta.version != lmdb_data_version) return "is of another LMDB format";
  if (!std::has_single_bit(meta.free.pad) || meta.free.pad < 512 || meta.free.pad > 65536)
    return "has no valid page size";
  if (meta.txn % 2 != slot) return "has a number that belongs to the other";
  if (meta.free.flags != integer_key_flag || meta.main.flags != 0) return "has unknown flags";
  return nullptr;
}

/// Whether what the newer page names lies inside the file.
bool is_inside(Meta const& meta, std::uint64_t file_bytes) {
  std::uint64_t const file_pages = file_bytes / meta.free.pad;
  auto const is_page = [&](std::uint64_t page) { return page >= 2 && page <= meta.last_page && page < file_pages; };
  return is_page(meta.main.root) && (meta.free.root == no_page || is_page(meta.free.root));
}

bool read_at(int fd, std::uint64_t offset, Meta& meta) {
  std::array<std::byte, meta_bytes> bytes;
  if (::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)) != static_cast<ssize_t>(bytes.size()))
    return false;
  return meta.read(ByteReader{bytes});
}

Error damaged(std::string const& what) {
  return Error{Errc::corrupt, what};
}

constexpr std::uint32_t page_bytes_least = 512;
constexpr std::uint32_t page_bytes_most = 65536;
constexpr std::size_t txn_offset = 144;  ///< in the page
constexpr unsigned torn_fields_least = 2;

/// The whole meta page of `slot`, wherever the page size puts it.
std::optional<Meta> find_whole(int fd, unsigned slot, std::uint64_t file_bytes) {
  for (std::uint32_t page_bytes = page_bytes_least; page_bytes <= page_bytes_most; page_bytes *= 2) {
    Meta meta = {};
    if (!read_at(fd, std::uint64_t{slot} * page_bytes, meta) || find_fault(meta, slot) != nullptr) continue;
    if (meta.free.pad == page_bytes && meta.txn > 0 && is_inside(meta, file_bytes)) return meta;
  }
  return std::nullopt;
}

/// How many fields of the page in `slot` are none that LMDB writes beside the page `whole`.
unsigned count_wrong_fields(Meta const& meta, unsigned slot, Meta const& whole) {
  std::array<bool, 11> const wrong = {meta.number != slot,
                                      meta.page_flags != meta_page_flag,
                                      meta.magic != lmdb_magic,
                                      meta.version != lmdb_data_version,
                                      meta.address != 0,
                                      meta.map_bytes == 0 || meta.map_bytes % page_bytes_least != 0,
                                      meta.free.pad != whole.free.pad,
                                      meta.free.flags != integer_key_flag,
                                      meta.main.pad != 0,
                                      meta.main.flags != 0,
                                      meta.txn + 1 != whole.txn && meta.txn != whole.txn + 1};
  unsigned count = 0;
  for (bool const is_wrong : wrong) count += is_wrong ? 1U : 0U;
  return count;
}

std::optional<TornMetaPage> find_torn(int fd, std::uint64_t file_bytes) {
  for (unsigned const slot : {0U, 1U}) {
    std::optional<Meta> const whole = find_whole(fd, 1 - slot, file_bytes);
    Meta meta = {};
    if (!whole || !read_at(fd, std::uint64_t{slot} * whole->free.pad, meta)) continue;
    if (find_fault(meta, slot) == nullptr || count_wrong_fields(meta, slot, *whole) < torn_fields_least) continue;
    return TornMetaPage{.slot = slot,
                        .page_bytes = whole->free.pad,
                        .file_bytes = file_bytes,
                        .txn = whole->txn,
                        .root = whole->main.root};
  }
  return std::nullopt;
}

std::vector<char> read_page(int fd, std::filesystem::path const& path, std::uint64_t slot, std::uint32_t page_bytes) {
  std::vector<char> page(page_bytes);
  if (::pread(fd, page.data(), page.size(), static_cast<off_t>(slot * page_bytes)) != static_cast<ssize_t>(page.size()))
    throw_errno("pread", path);
  return page;
}

void write_page(int fd, std::filesystem::path const& path, std::uint64_t offset, std::vector<char> const& page) {
  errno = ENOSPC;  // what a short write means
  if (::pwrite(fd, page.data(), page.size(), static_cast<off_t>(offset)) != static_cast<ssize_t>(page.size()))
    throw_errno("pwrite", path);
  if (::fsync(fd) != 0) throw_errno("fsync", path);
}

/// Checks both pages; `corrupt` names what is wrong.
Result<MetaPages> check_both(int fd, std::uint64_t file_bytes) {
  std::array<Meta, 2> metas = {};
  if (!read_at(fd, 0, metas[0])) return damaged("the data file is too short");
  if (char const* fault = find_fault(metas[0], 0)) return damaged(std::string{"meta page 0 "} + fault);
  if (!read_at(fd, metas[0].free.pad, metas[1])) return damaged("the data file is too short");
  if (char const* fault = find_fault(metas[1], 1)) return damaged(std::string{"meta page 1 "} + fault);
  if (metas[0].free.pad != metas[1].free.pad) return damaged("the meta pages differ in page size");
  Meta const& newer = metas[metas[0].txn < metas[1].txn ? 1 : 0];
  Meta const& older = metas[metas[0].txn < metas[1].txn ? 0 : 1];
  if (newer.txn != older.txn + 1) return damaged("the meta pages are not one commit apart");
  if (newer.last_page < older.last_page) return damaged("the newer meta page knows fewer pages than the older");
  if (!is_inside(newer, file_bytes)) return damaged("a root page lies outside the file");
  return MetaPages{.page_bytes = newer.free.pad, .last_page = newer.last_page, .file_bytes = file_bytes};
}

std::uint64_t size_of(Descriptor const& file, std::filesystem::path const& path) {
  struct stat status = {};
  if (file.get() < 0) throw_errno("open", path);
  if (::fstat(file.get(), &status) != 0) throw_errno("fstat", path);
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Result<MetaPages> read_meta_pages(std::filesystem::path const& data_file) {
  Descriptor const file{::open(data_file.c_str(), O_RDONLY | O_CLOEXEC)};
  std::uint64_t const file_bytes = size_of(file, data_file);
  Result<MetaPages> const pages = check_both(file.get(), file_bytes);
  if (pages) return pages;
  std::optional<TornMetaPage> const torn = find_torn(file.get(), file_bytes);
  if (!torn) return pages;
  return damaged(pages.error().message + ", as after a power cut; the other is whole: `whence serve` goes back to it");
}

std::optional<TornMetaPage> find_torn_meta_page(std::filesystem::path const& data_file) {
  Descriptor const file{::open(data_file.c_str(), O_RDONLY | O_CLOEXEC)};
  std::uint64_t const file_bytes = size_of(file, data_file);
  if (check_both(file.get(), file_bytes)) return std::nullopt;
  return find_torn(file.get(), file_bytes);
}

void replace_torn_meta_page(std::filesystem::path const& data_file, TornMetaPage const& torn) {
  Descriptor const file{::open(data_file.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC)};
  if (file.get() < 0) throw_errno("open", data_file);
  auto const kept_path = data_file.parent_path() / ("meta-page-" + std::to_string(torn.slot) + ".torn");
  {
    int const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    Descriptor const kept{::open(kept_path.c_str(), flags, private_file_mode)};
    if (kept.get() < 0) throw_errno("open", kept_path);
    write_page(kept.get(), kept_path, 0, read_page(file.get(), data_file, torn.slot, torn.page_bytes));
  }
  sync_to_disk(kept_path.parent_path());
  std::vector<char> page = read_page(file.get(), data_file, 1 - torn.slot, torn.page_bytes);
  std::uint64_t const number = torn.slot;
  std::uint64_t const txn = torn.txn - 1;
  std::memcpy(page.data(), &number, sizeof number);
  std::memcpy(page.data() + txn_offset, &txn, sizeof txn);
  write_page(file.get(), data_file, std::uint64_t{torn.slot} * torn.page_bytes, page);
}

}  // namespace whence::store
