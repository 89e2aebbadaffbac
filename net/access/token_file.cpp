// Reads a token file line by line.

#include "net/access/token_file.hpp"

#include "net/access/secret_file.hpp"
#include "schema/encoding/ascii.hpp"

#include <cstddef>
#include <fstream>
#include <string_view>
#include <utility>

namespace whence::net {

namespace {

Error file_error(std::string const& path, std::string const& what) {
  return Error{.code = Errc::invalid_params, .message = "token file " + path + what};
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
    auto const content = schema::trim_blanks(line);
    if (content.empty() || content.front() == '#') continue;
    auto token = parse_token_line(content);
    if (!token) return file_error(path, ":" + std::to_string(number) + ": " + token.error().message);
    tokens.push_back(std::move(*token));
  }
  if (file.bad()) return file_error(path, ": cannot be read");
  if (tokens.empty()) return file_error(path, ": holds no token");
  return tokens;
}

}  // namespace whence::net
