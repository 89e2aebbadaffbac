// Looks at the modes of files with secrets.

#include "net/access/secret_file.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <string_view>

#include <sys/stat.h>

namespace whence::net {

namespace {

constexpr mode_t all_bits = 07777;

/// The permission bits of a regular file, behind any link; nothing for anything else.
std::optional<mode_t> mode_of(std::string const& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return found.st_mode & all_bits;
}

std::string describe(std::string const& path, std::string const& who, mode_t mode) {
  std::array<char, 16> octal{};
  std::snprintf(octal.data(), octal.size(), "%04o", static_cast<unsigned>(mode));
  return path + " is open to " + who + " (mode " + octal.data() + "): chmod 600 " + path;
}

}  // namespace

Result<void> check_secret_file(std::string const& path) {
  auto const mode = mode_of(path);
  if (!mode || (*mode & S_IRWXO) == 0) return {};
  return Error{.code = Errc::invalid_params, .message = describe(path, "everybody", *mode)};
}

Result<std::string> read_secret(std::string const& path) {
  if (auto const checked = check_secret_file(path); !checked) return checked.error();
  auto const wrong = [&](std::string_view why) {
    return Error{.code = Errc::invalid_params, .message = path + ": " + std::string{why}};
  };
  std::ifstream file{path};
  std::string secret;
  if (!file || !std::getline(file, secret)) return wrong("cannot be read, or is empty");
  if (secret.ends_with('\r')) secret.pop_back();
  bool const is_plain = std::ranges::all_of(secret, [](char each) { return each > ' ' && each <= '~'; });
  if (secret.empty() || !is_plain) return wrong("its first line is no secret: printable characters without spaces");
  return secret;
}

std::optional<std::string> find_group_access(std::string const& path) {
  auto const mode = mode_of(path);
  if (!mode || (*mode & S_IRWXG) == 0) return std::nullopt;
  return describe(path, "its group", *mode);
}

bool is_rereadable(std::string const& path) {
  struct stat found = {};
  return ::stat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode);
}

}  // namespace whence::net
