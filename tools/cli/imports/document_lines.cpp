#include "tools/cli/imports/document_lines.hpp"

#include "schema/json/json.hpp"

namespace whence::tools {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t depth_max = 1024;  // of what is a document, whatever its reader makes of it

}  // namespace

CallResult<void> read_documents(std::istream& in, std::size_t bytes_max, TakeDocument const& take) {
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (number == 1 && !schema::json::parse_foreign(line, depth_max)) {
      for (std::string more; line.size() <= bytes_max && std::getline(in, more);) line += "\n" + more;
    }
    auto done = take(number, line);
    if (done) continue;
    auto failed = done.error();
    failed.message = "line " + std::to_string(number) + ": " + failed.message;
    return failed;
  }
  return {};
}

}  // namespace whence::tools
