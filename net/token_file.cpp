// Reads a token file line by line.

#include "net/token_file.hpp"

#include "net/secret_file.hpp"

#include <cstddef>
#include <fstream>
#include <string_view>
#include <utility>

namespace whence::net {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) noexcept {
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Error file_error(std::string const& path, std::string const& what) {
  return Error{.code = Errc::invalid_params, .message = "token file " + path + what};
}

/// One line that is neither blank nor a comment. The message never repeats the secret.
Result<Token> parse_token_line(std::string_view line, std::string const& path, std::size_t number) {
  auto const where = ":" + std::to_string(number);
  auto const gap = line.find_first_of(blanks);
  auto const role = find_role(line.substr(0, gap));
  if (!role || *role == Role::none)
    return file_error(path, where + ": expected `read`, `write` or `admin`, then a token");
  auto const secret = gap == std::string_view::npos ? std::string_view{} : trimmed(line.substr(gap));
  if (secret.empty()) return file_error(path, where + ": no token after the role");
  if (secret.find_first_of(blanks) != std::string_view::npos)
    return file_error(path, where + ": a token has no spaces");
  return Token{.role = *role, .secret = std::string{secret}};
}

}  // namespace

Result<std::vector<Token>> read_token_file(std::string const& path) {
  if (auto const checked = check_secret_file(path); !checked) {
    return Error{.code = Errc::invalid_params, .message = "token file " + checked.error().message};
  }
  std::ifstream file{path};
  if (!file) return file_error(path, ": cannot be read");
  std::vector<Token> tokens;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    auto const content = trimmed(line);
    if (content.empty() || content.front() == '#') continue;
    auto token = parse_token_line(content, path, number);
    if (!token) return token.error();
    tokens.push_back(std::move(*token));
  }
  if (file.bad()) return file_error(path, ": cannot be read");
  if (tokens.empty()) return file_error(path, ": holds no token");
  return tokens;
}

}  // namespace whence::net
