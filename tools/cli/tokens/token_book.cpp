// Reads, changes and replaces a token file.

#include "tools/cli/tokens/token_book.hpp"

#include "net/access/secret_file.hpp"
#include "schema/encoding/ascii.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::tools {

namespace {

namespace fs = std::filesystem;

constexpr mode_t mode_max = S_IRUSR | S_IWUSR | S_IRGRP;  ///< of a file that is there

Error wrong_book(fs::path const& path, std::string const& what) {
  return {.code = Errc::invalid_params, .message = "token file " + path.string() + what};
}

void write_all(int fd, std::string_view text, fs::path const& path) {
  while (!text.empty()) {
    auto const written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) store::throw_errno("write", path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// A file that is removed unless it gets another name.
class NewFile {
 public:
  explicit NewFile(fs::path path)
      : path_{std::move(path)},
        file_{::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, store::private_file_mode)} {
    if (file_.get() < 0) store::throw_errno("open", path_);
  }
  ~NewFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  NewFile(NewFile const&) = delete;
  NewFile& operator=(NewFile const&) = delete;

  [[nodiscard]] int fd() const noexcept { return file_.get(); }
  [[nodiscard]] fs::path const& path() const noexcept { return path_; }

  void become(fs::path const& name) {
    store::rename_durably(path_, name);
    path_.clear();
  }

 private:
  fs::path path_;
  store::Descriptor file_;
};

}  // namespace

Result<TokenBook> TokenBook::open(fs::path path, Missing missing) {
  path = fs::weakly_canonical(fs::absolute(path));
  auto const folder = path.parent_path();
  store::Descriptor lock{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (lock.get() < 0 || ::flock(lock.get(), LOCK_EX) != 0) store::throw_errno("open", folder);
  if (auto const checked = net::check_secret_file(path.string()); !checked)
    return wrong_book({}, checked.error().message);
  TokenBook book{path, std::move(lock)};
  if (!fs::exists(path)) {
    if (missing == Missing::is_empty) return book;
    return Error{.code = Errc::not_found, .message = "there is no file " + path.string()};
  }
  if (!fs::is_regular_file(path)) return wrong_book(path, " is no regular file");
  std::ifstream file{path};
  std::string text;
  while (std::getline(file, text)) {
    Line line{.text = text};
    auto const content = schema::trim_blanks(text);
    if (!content.empty() && content.front() != '#') {
      auto token = net::parse_token_line(content);
      if (!token) return wrong_book(path, ":" + std::to_string(book.lines_.size() + 1) + ": " + token.error().message);
      line.token = std::move(*token);
    }
    book.lines_.push_back(std::move(line));
  }
  if (file.bad() || !file.eof()) return wrong_book(path, ": cannot be read");
  return book;
}

std::vector<net::Token> TokenBook::tokens() const {
  std::vector<net::Token> all;
  for (auto const& line : lines_) {
    if (line.token) all.push_back(*line.token);
  }
  return all;
}

net::Token const* TokenBook::find_valid(std::string_view name) const {
  net::Token const* found = nullptr;
  for (auto const& line : lines_) {
    if (line.token && line.token->name == name && !line.token->revoked) found = &*line.token;
  }
  return found;
}

bool TokenBook::has(std::string_view name) const {
  return std::ranges::any_of(lines_, [name](Line const& line) { return line.token && line.token->name == name; });
}

void TokenBook::add(net::Token token) {
  auto text = net::token_line(token);
  lines_.push_back({.text = std::move(text), .token = std::move(token)});
}

void TokenBook::Line::become(net::Token other) {
  text = net::token_line(other);
  token = std::move(other);
}

std::size_t TokenBook::revoke(std::string_view name, schema::Time now) {
  std::size_t count = 0;
  for (auto& line : lines_) {
    if (!line.token || line.token->name != name || line.token->revoked) continue;
    auto token = *line.token;
    token.revoked = now;
    line.become(std::move(token));
    ++count;
  }
  return count;
}

void TokenBook::end_by(std::string_view name, schema::Time end) {
  for (auto& line : lines_) {
    if (!line.token || line.token->name != name || line.token->revoked) continue;
    if (line.token->expires && *line.token->expires <= end) continue;
    auto token = *line.token;
    token.expires = end;
    line.become(std::move(token));
  }
}

void TokenBook::save() const {
  NewFile file{path_.string() + ".new-" + std::to_string(::getpid())};
  struct stat before = {};
  if (::stat(path_.c_str(), &before) == 0) {
    // Who runs the server may be another user than who edits its file.
    if (::fchown(file.fd(), before.st_uid, before.st_gid) != 0) store::throw_errno("fchown", file.path());
    if (::fchmod(file.fd(), before.st_mode & mode_max) != 0) store::throw_errno("fchmod", file.path());
  }
  std::string text;
  for (auto const& line : lines_) text += line.text + "\n";
  write_all(file.fd(), text, file.path());
  if (::fsync(file.fd()) != 0) store::throw_errno("fsync", file.path());
  file.become(path_);
}

}  // namespace whence::tools
