// Trees: what is noted at each node, and what of the answer is drawn.

#include "tools/cli/output/trees.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/record_line.hpp"
#include "net/plain_text/tree.hpp"
#include "schema/base/text.hpp"
#include "schema/json/members.hpp"

#include <ostream>
#include <string>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using schema::json::list_at;
namespace text = net::plain_text;

/// A prompt may have megabytes.
constexpr std::size_t note_bytes_max = 400;
/// Nodes listed below one where no limit was asked for; more of them are no tree to look at.
constexpr std::size_t breadth_default = 50;

void add_notes(text::NodeNotes& notes, text::NodeNotes& marks, json::object const& answer) {
  for (json::value const& item : list_at(answer, "nodes")) {
    if (!item.is_object()) continue;
    json::object const& node = item.get_object();
    std::string const ref = text::cell(node, "ref");
    json::value const* const record = node.if_contains("record");
    if (record != nullptr && record->is_object())
      notes[ref] = schema::cut(text::details(record->get_object()), note_bytes_max);
    std::string status = text::cell(node, "status");
    if (!status.empty() && status != "active") marks[ref] = std::move(status);
    for (std::string_view gone : {"expired", "purged"}) {
      if (node.contains(gone)) marks[ref] = gone;
    }
  }
}

text::TreeForm form_for(Io const& io) {
  return {.has_colour = io.has_colour, .columns = io.columns};
}

}  // namespace

void print_tree(std::string_view root, json::object const& answer, json::object const* start, Io& io) {
  text::NodeNotes notes;
  text::TreeForm form = form_for(io);
  add_notes(notes, form.marks, answer);
  if (start != nullptr) add_notes(notes, form.marks, *start);
  io.data << text::render_tree(root, list_at(answer, "edges"), notes, form);
}

void show_trace(json::object const& asked, json::object const& result, Io& io) {
  std::string const start = text::cell(asked, "ref");
  text::NodeNotes notes;
  text::TreeForm form = form_for(io);
  add_notes(notes, form.marks, result);
  json::array edges = list_at(result, "edges");
  for (json::value const& gone : list_at(result, "dangling")) {
    if (!gone.is_string()) continue;
    form.marks[std::string{gone.get_string()}] = "deleted";
    edges.push_back(json::object{{"from", start}, {"to", gone}, {"type", "EXTRACTED_FROM"}});
  }
  io.data << text::render_tree(start, edges, notes, form);
}

void show_why(json::object const& asked, json::object const& result, Io& io) {
  text::NodeNotes notes;
  text::TreeForm form = form_for(io);
  if (!asked.contains("limit")) form.breadth_max = breadth_default;
  form.has_effects_below = asked.contains("effects");
  add_notes(notes, form.marks, result);
  for (json::value const& item : list_at(result, "frontier")) {
    if (!item.is_object()) continue;
    json::value const* const count = item.get_object().if_contains(form.has_effects_below ? "effects" : "causes");
    if (count == nullptr || !count->is_int64() || count->get_int64() <= 0) continue;
    form.hidden[text::cell(item.get_object(), "ref")] = static_cast<std::uint64_t>(count->get_int64());
  }
  json::array const& nodes = list_at(result, "nodes");
  bool const has_root = !nodes.empty() && nodes.front().is_object();  // nearest first: the node itself
  std::string const root = has_root ? text::cell(nodes.front().get_object(), "ref") : text::cell(asked, "ref");
  io.data << text::render_tree(root, list_at(result, "edges"), notes, form);
  if (nodes.size() > 1 || !form.hidden.empty()) return;
  io.talk << (form.has_effects_below ? "whence: nothing is recorded that was made from it\n"
                                     : "whence: nothing is recorded that it was made from\n");
}

}  // namespace whence::tools
