// `whence validate`: checks XML documents against the XML contract (`schema/xml/README.md`), without a server.

#include "net/plain_text/shown.hpp"
#include "schema/json/writer.hpp"
#include "schema/xml/contract.hpp"
#include "tools/cli/program/program.hpp"

#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace whence::tools {
namespace {

namespace xml = schema::xml;

struct ValidateCommand {
  std::string format = {};
  std::vector<std::string> files = {};
  bool is_json = false;
};

/// The result of one file.
struct Checked {
  std::string file;
  std::optional<Result<xml::Document>> result;  ///< empty: the file cannot be read
};

/// The bytes, at most one more than a document may have; nothing if the file cannot be read.
std::optional<std::string> read_some(std::istream& in) {
  std::string bytes(xml::Limits{}.bytes_max + 1, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (in.bad()) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

std::optional<std::string> read_file(std::string const& file, Io& io) {
  if (file == "-") return read_some(io.in);
  std::ifstream in{file, std::ios::binary};
  if (!in) return std::nullopt;
  return read_some(in);
}

void print_line(Io& io, std::string const& file, Violation const& violation) {
  io.data << net::plain_text::shown(file) << ':' << violation.xml->line << ':' << violation.xml->column << ": "
          << (violation.xml->error.empty() ? "warning: " : "error: ") << violation.rule << ": ";
  if (!violation.xml->error.empty()) io.data << violation.xml->error << ": ";
  io.data << net::plain_text::shown(violation.message) << " (" << net::plain_text::shown(violation.path) << ")\n";
}

void print_lines(Io& io, Checked const& checked) {
  std::vector<Violation> const& found =
      *checked.result ? (*checked.result)->warnings : checked.result->error().violations;
  for (Violation const& violation : found) print_line(io, checked.file, violation);
}

void append_violation(schema::json::Writer& writer, Violation const& violation) {
  writer.begin_object();
  if (!violation.xml->error.empty()) writer.member("error", std::string_view{violation.xml->error});
  writer.member("rule", std::string_view{violation.rule})
      .member("line", violation.xml->line)
      .member("column", violation.xml->column)
      .member("path", std::string_view{violation.path})
      .member("message", std::string_view{violation.message})
      .end_object();
}

void append_file(schema::json::Writer& writer, Checked const& checked) {
  writer.begin_object().member("file", std::string_view{net::plain_text::shown(checked.file)});
  if (!checked.result) {
    writer.member("unreadable", true);
  } else if (*checked.result) {
    xml::Document const& document = **checked.result;
    writer.member("valid", true).member("format", name_of(format_of(document.parts))).key("warnings").begin_array();
    for (Violation const& warning : document.warnings) append_violation(writer, warning);
    writer.end_array();
  } else {
    writer.member("valid", false).key("error");
    append_violation(writer, checked.result->error().violations.front());
  }
  writer.end_object();
}

ExitCode run_validate(ValidateCommand const& command, Io& io) {
  ExitCode exit = ExitCode::ok;
  std::string text;
  schema::json::Writer writer{text};
  writer.begin_object().key("files").begin_array();
  for (std::string const& file : command.files) {
    Checked checked{.file = file, .result = {}};
    if (auto const bytes = read_file(file, io)) {
      checked.result = xml::read(*bytes, schema::find_named<schema::XmlFormat>(command.format));
    } else {
      auto const refused = find_unreadable(file).value_or(UnreadableFile{ExitCode::failure, file + " cannot be read"});
      io.talk << "whence: " << net::plain_text::shown(refused.why) << '\n';
      if (exit == ExitCode::ok || exit == ExitCode::failure) exit = refused.exit;
    }
    if (checked.result && !*checked.result) exit = ExitCode::invalid_input;
    if (command.is_json) {
      append_file(writer, checked);
    } else if (checked.result) {
      print_lines(io, checked);
    }
  }
  writer.end_array().end_object();
  if (command.is_json) io.data << text << '\n';
  return exit;
}

}  // namespace

void add_validate_verb(Program& program) {
  CLI::App& app = program.add_verb("validate", "Checks XML files against the contract", Purpose::write);
  app.footer(
      "Prints FILE:LINE:COLUMN: error|warning: RULE: message.\n"
      "Exit code 4 if a document is refused, else 3 if a file is not there, else 1 if one cannot be read, else 0.");
  auto const command = std::make_shared<ValidateCommand>();
  app.add_option("file", command->files, "The documents; - is standard input")->required()->type_name("FILE");
  app.add_option("--format", command->format, "The expected kind of document; default: by its root element")
      ->type_name("llm-query|llm-response")
      ->check(CLI::IsMember({"llm-query", "llm-response"}).description(""));
  app.add_flag("--json", command->is_json, "Prints the result as one JSON document");
  program.set_work(app, [command](Io& io) { return run_validate(*command, io); });
}

}  // namespace whence::tools
