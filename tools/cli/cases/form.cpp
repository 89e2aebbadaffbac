// Finds the form of a case and puts data into it.

#include "tools/cli/cases/form.hpp"

#include "schema/base/digest.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/options/explorer_folder.hpp"
#include "tools/cli/process/stop_signal.hpp"
#include "tools/cli/transport/download.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace whence::tools {
namespace {

constexpr std::string_view form_name = "case.html";
constexpr std::string_view data_place = R"(<script type="application/json" id="case">)";
constexpr std::string_view proof_place = R"(<script type="application/json" id="proof">)";
/// Far above what the build allows, and a bound for what a server sends.
constexpr std::size_t form_bytes_max = std::size_t{4} << 20;

CallError no_form(std::string const& why) {
  return {.message = "there is no form of a case (" + why + "): tools/explorer/build makes it"};
}

std::string escaped(unsigned letter) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[(letter >> shift) & 0xF];
  return text;
}

}  // namespace

CallResult<std::string> find_case_form(Target const& target) {
  std::string const folder = find_explorer();
  std::ifstream file(std::filesystem::path(folder) / form_name, std::ios::binary);
  if (!folder.empty() && file) return std::string{std::istreambuf_iterator<char>(file), {}};
  if (!target.db.empty()) return no_form("beside the program");
  auto const server = find_server(target, timeout_default);
  if (!server) return server.error();
  std::string form;
  StopSignal stopped;
  auto const fetched =
      download(*server, "/explorer/" + std::string(form_name), stopped.has_come(), [&](std::string_view bytes) {
        if (form.size() <= form_bytes_max) form.append(bytes);
      });
  if (!fetched) return no_form("beside the program, and at the server: " + fetched.error().message);
  return form;
}

std::string inert_json(boost::json::value const& value) {
  std::string const text = schema::json::to_text(value);
  std::string inert;
  inert.reserve(text.size() + text.size() / 16);
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const letter = text[i];
    bool const is_line =
        text.compare(i, 2, "\xE2\x80") == 0 && i + 2 < text.size() && (text[i + 2] == '\xA8' || text[i + 2] == '\xA9');
    if (letter == '<' || letter == '>' || letter == '&') {
      inert += escaped(static_cast<unsigned char>(letter));
    } else if (is_line) {
      inert += escaped(text[i + 2] == '\xA8' ? 0x2028 : 0x2029);
      i += 2;
    } else {
      inert += letter;
    }
  }
  return inert;
}

CallResult<std::string> filled_case(std::string form, boost::json::value const& data,
                                    std::optional<boost::json::object> proof) {
  if (form.size() > form_bytes_max) return no_form("what was found is none");
  std::size_t bytes = 0;
  auto const put = [&](std::string_view place, std::string_view text) {
    auto const found = form.find(place);
    if (found == std::string::npos) return false;
    bytes += text.size();
    form.insert(found + place.size(), text);
    return true;
  };
  auto const data_text = inert_json(data);
  std::string proof_text;
  if (proof) {
    // So that a byte that was damaged is seen wherever it is.
    (*proof)["case_sha256"] = schema::to_hex(schema::sha256(data_text));
    proof_text = inert_json(*proof);
  }
  // The proof's place comes after that of the data, in which no text is a place.
  bool const is_form = (!proof || put(proof_place, proof_text)) && put(data_place, data_text);
  if (!is_form) return no_form("what was found is none");
  if (bytes > case_bytes_max) {
    return CallError{.message = "the case has " + std::to_string(bytes) + " bytes, the most is " +
                                std::to_string(case_bytes_max) + ": ask for fewer answers"};
  }
  return form;
}

}  // namespace whence::tools
