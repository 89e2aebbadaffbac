#include "tools/cli/imports/document_lines.hpp"

#include "schema/json/json.hpp"
#include "tools/cli/process/io.hpp"

#include <sstream>
#include <string_view>

namespace whence::tools {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t depth_max = 1024;  // of what is a document, whatever its reader makes of it

bool is_document(std::string const& text) {
  return schema::json::parse_foreign(text, depth_max).has_value();
}

/// Whether a line of `text` is an object or a list by itself.
bool has_document_line(std::string const& text) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    auto const first = line.find_first_not_of(blanks);
    bool const may_be = first != std::string::npos && (line[first] == '{' || line[first] == '[');
    if (may_be && is_document(line)) return true;
  }
  return false;
}

CallResult<void> take_line(std::uint64_t number, std::string const& line, TakeDocument const& take) {
  if (line.find_first_not_of(blanks) == std::string::npos) return {};
  auto done = take(number, line);
  if (done) return done;
  auto failed = done.error();
  failed.message = "line " + std::to_string(number) + ": " + failed.message;
  return failed;
}

}  // namespace

CallResult<void> read_documents(std::istream& in, std::size_t bytes_max, TakeDocument const& take) {
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    bool const is_blank = line.find_first_not_of(blanks) == std::string::npos;
    if (number == 1 && !is_blank && !is_document(line)) {
      for (std::string more; line.size() <= bytes_max && std::getline(in, more);) line += "\n" + more;
      if (!is_document(line) && has_document_line(line)) {
        std::istringstream lines{std::move(line)};
        number = 0;
        for (std::string each; std::getline(lines, each);) {
          if (auto done = take_line(++number, each, take); !done) return done;
        }
        continue;
      }
    }
    if (auto done = take_line(number, line, take); !done) return done;
  }
  return {};
}

}  // namespace whence::tools
