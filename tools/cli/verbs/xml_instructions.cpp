// `whence xml-instructions`: the system text that makes a model answer in the XML contract, without a server.

#include "schema/base/limits.hpp"
#include "schema/json/writer.hpp"
#include "schema/xml/instructions.hpp"
#include "tools/cli/program/program.hpp"

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace whence::tools {
namespace {

ExitCode print_instructions(bool is_json, Io& io) {
  std::string const instructions = schema::xml::instructions();
  if (!is_json) {
    io.data << instructions;
    return ExitCode::ok;
  }
  std::string text;
  schema::json::Writer{text}
      .begin_object()
      .member("version", schema::limits::xml_schema_version)
      .member("text", std::string_view{instructions})
      .end_object();
  io.data << text << '\n';
  return ExitCode::ok;
}

}  // namespace

void add_xml_instructions_verb(Program& program) {
  CLI::App& app = program.add_verb("xml-instructions",
                                   "Prints the system text that makes a model answer in the contract", Purpose::write);
  auto const is_json = std::make_shared<bool>(false);
  app.add_flag("--json", *is_json, "Prints the result as one JSON document");
  program.set_work(app, [is_json](Io& io) { return print_instructions(*is_json, io); });
}

}  // namespace whence::tools
