// The head of a page: what the record says, short members first, text_members under headings of their own.

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/base/text.hpp"
#include "schema/json/members.hpp"
#include "tools/cli/pages/page.hpp"
#include "tools/cli/pages/print.hpp"
#include "tools/cli/pages/text.hpp"

#include <algorithm>
#include <array>
#include <ostream>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// A text beyond this is no fact in a line.
constexpr std::size_t fact_bytes_max = 160;
/// Lists and objects are cut: `--json` has them whole.
constexpr std::size_t compact_bytes_max = 300;

/// Members that the parts of a page show better, or that are no text for people.
constexpr std::array<std::string_view, 13> shown_elsewhere = {
    "$type$", "id",  "context_units",    "manifest_json",  "citations",         "embedding", "vector",
    "rounds", "xml", "analyzerResponse", "solverResponse", "moderatorResponse", "xmlContent"};

/// Members whose value is a text of its own, however short.
constexpr std::array<std::string_view, 9> text_members = {
    "content", "prompt", "answer", "text", "summary", "question", "promptText", "system_prompt", "formatted_context"};

template <class Names>
bool is_among(Names const& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_text(std::string_view name, json::value const& value) {
  if (!value.is_string()) return false;
  std::string_view const text = value.get_string();
  return is_among(text_members, name) || text.size() > fact_bytes_max || text.find('\n') != std::string_view::npos;
}

std::string fact_of(json::object const& record, std::string_view name) {
  bool const is_time = name.ends_with("At") || name == "timestamp" || name == "lastSeen";
  std::string const value = is_time ? time_in(record, name) : net::plain_text::cell(record, name);
  return schema::cut(value, compact_bytes_max);
}

void print_saying(json::object const& round, Io& io) {
  for (std::string_view member : {"analyzerResponse", "solverResponse", "moderatorResponse"}) {
    json::object const& said = schema::json::object_at(round, member);
    if (!said.empty()) print_text(net::plain_text::cell(said, "persona"), net::plain_text::cell(said, "content"), io);
  }
}

}  // namespace

void print_record(PageNode const& node, Io& io) {
  std::string const ref = net::plain_text::shown(node.ref);
  io.data << (io.has_colour ? "\x1b[1m" + ref + "\x1b[0m" : ref);
  if (!node.mark.empty())
    io.data << (io.has_colour ? "  \x1b[31m[" : "  [") << net::plain_text::shown(node.mark)
            << (io.has_colour ? "]\x1b[0m" : "]");
  io.data << '\n' << schema::info(node.type).label << '\n';
  bool const has_question = node.type == schema::RecordType::answer;  // `rag.get` has the text with its question
  for (auto const& member : node.record) {
    if (!is_among(shown_elsewhere, member.key()) && !is_text(member.key(), member.value()))
      print_fact(member.key(), fact_of(node.record, member.key()), io);
  }
  for (auto const& member : node.record) {
    if (has_question && (member.key() == "answer" || member.key() == "message")) continue;
    if (!is_among(shown_elsewhere, member.key()) && is_text(member.key(), member.value()))
      print_text(member.key(), std::string_view{member.value().get_string()}, io);
  }
  print_saying(node.record, io);
}

}  // namespace whence::tools
