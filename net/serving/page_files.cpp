// Reads a folder of page files, and knows what kinds of file a page is made of.

#include "net/serving/page_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace whence::net {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view gzip_suffix = ".gz";

struct FileKind {
  std::string_view suffix;
  std::string_view content_type;
};

constexpr std::array<FileKind, 8> kinds = {{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".json", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
    {".ico", "image/x-icon"},
}};

std::string_view content_type_of(std::string_view name) {
  auto const kind = std::ranges::find_if(kinds, [name](FileKind const& each) { return name.ends_with(each.suffix); });
  return kind == kinds.end() ? "application/octet-stream" : kind->content_type;
}

Result<std::string> read_file(fs::path const& path) {
  std::ifstream in{path, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  if (!in) return Error{.code = Errc::not_found, .message = "cannot read " + path.string()};
  return bytes;
}

}  // namespace

Result<PageFiles> PageFiles::read(fs::path const& folder) {
  PageFiles pages;
  if (folder.empty()) return pages;
  std::error_code failed;
  std::size_t total = 0;
  std::map<std::string, std::string> gzipped;
  for (auto const& entry : fs::directory_iterator{folder, failed}) {
    if (!entry.is_regular_file()) continue;
    auto bytes = read_file(entry.path());
    if (!bytes) return bytes.error();
    total += bytes->size();
    if (total > page_files_bytes_max) {
      return Error{.code = Errc::invalid_params, .message = folder.string() + ": more than 64 MiB of files"};
    }
    auto name = entry.path().filename().string();
    if (name.ends_with(gzip_suffix)) {
      name.resize(name.size() - gzip_suffix.size());
      gzipped.emplace(std::move(name), std::move(*bytes));
    } else {
      auto const type = content_type_of(name);
      pages.files_.emplace(std::move(name), PageFile{.bytes = std::move(*bytes), .content_type = type});
    }
  }
  if (failed) return Error{.code = Errc::not_found, .message = folder.string() + ": " + failed.message()};
  for (auto& [name, bytes] : gzipped) {
    if (auto const plain = pages.files_.find(name); plain != pages.files_.end())
      plain->second.gzipped = std::move(bytes);
  }
  if (pages.find("index.html") == nullptr) {
    return Error{.code = Errc::not_found, .message = folder.string() + ": no index.html"};
  }
  return pages;
}

PageFile const* PageFiles::find(std::string_view name) const {
  auto const found = files_.find(name);
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace whence::net
