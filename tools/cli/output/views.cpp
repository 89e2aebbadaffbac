// Results as tables. A table is a list of columns, each naming the member it shows.

#include "tools/cli/output/views.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/record_line.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "tools/cli/output/table.hpp"

#include <algorithm>
#include <initializer_list>
#include <ostream>
#include <vector>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using schema::json::list_at;
using schema::json::object_at;

/// A column and the member of the item that it shows.
struct Shown {
  std::string_view header;
  std::string_view member;
  Align align = Align::left;
};

constexpr Shown share_column{"SHARE", "share", Align::right};
constexpr Shown depth_column{"DEPTH", "depth", Align::right};

void print_columns(json::array const& items, std::vector<Shown> const& columns, Io& io) {
  std::vector<Column> headers;
  headers.reserve(columns.size());
  for (Shown const& column : columns) headers.push_back({.header = column.header, .align = column.align});
  Table table{std::move(headers)};
  for (json::value const& item : items) {
    if (!item.is_object()) continue;
    std::vector<std::string> cells;
    cells.reserve(columns.size());
    for (Shown const& column : columns) cells.push_back(net::plain_text::cell(item.get_object(), column.member));
    table.add(cells);
  }
  table.print(io);
}

void print_list(json::array const& items, std::initializer_list<Shown> columns, Io& io) {
  print_columns(items, std::vector<Shown>(columns), io);
}

/// The same with a last column of labels, where any node has one: a server that was asked for none sends none.
void print_labelled(json::array const& items, std::initializer_list<Shown> shown, Io& io) {
  std::vector<Shown> columns(shown);
  bool const has_labels = std::ranges::any_of(
      items, [](json::value const& item) { return item.is_object() && item.get_object().contains("label"); });
  if (has_labels) columns.push_back({"LABEL", "label"});
  print_columns(items, columns, io);
}

/// One of several lists of an answer, under its name.
void print_section(std::string_view title, json::array const& items, std::initializer_list<Shown> columns, Io& io) {
  io.data << title << ": " << items.size() << '\n';
  print_labelled(items, columns, io);
}

void print_pair(std::string_view name, std::string_view value, Io& io) {
  if (!value.empty()) io.data << name << ": " << net::plain_text::shown(value) << '\n';
}

void print_members(json::object const& object, Io& io) {
  for (auto const& member : object) print_pair(member.key(), net::plain_text::cell(object, member.key()), io);
}

/// Nodes with `record` and `status` included, one line each.
void print_nodes(json::array const& nodes, Io& io) {
  Table table{{{"REF"}, {"STATUS"}, {"TIME"}, {"DETAILS"}}};
  for (json::value const& node : nodes) {
    if (!node.is_object()) continue;
    json::object const& record = object_at(node.get_object(), "record");
    std::string const why = net::plain_text::mark_of_gone(node.get_object());
    table.add({net::plain_text::cell(node.get_object(), "ref"), net::plain_text::cell(node.get_object(), "status"),
               net::plain_text::time_of(record), why.empty() ? net::plain_text::details(record) : why});
  }
  table.print(io);
}

/// Refs with arrows between them; empty for none.
std::string path_of(json::array const& refs) {
  std::string path;
  for (json::value const& ref : refs) {
    if (ref.is_string()) path += (path.empty() ? "" : " \u2192 ") + std::string{ref.get_string()};
  }
  return path;
}

/// The first snippet as one line.
std::string text_of_snippets(json::object const& node) {
  json::array const& snippets = list_at(node, "snippets");
  std::string text;
  if (snippets.empty() || !snippets.front().is_object()) return text;
  for (json::value const& part : list_at(snippets.front().get_object(), "parts")) {
    if (part.is_object()) text += net::plain_text::cell(part.get_object(), "text");
  }
  std::ranges::replace(text, '\n', ' ');
  return text;
}

void print_edges(json::array const& edges, Io& io) {
  print_list(edges, {{"FROM", "from"}, {"TYPE", "type"}, {"TO", "to"}, {"WEIGHT", "weight", Align::right}}, io);
}

/// The items, with that in the place of the text of those that are gone.
json::array marked(json::array items, std::string_view text) {
  for (json::value& item : items) {
    if (!item.is_object()) continue;
    if (std::string const why = net::plain_text::mark_of_gone(item.get_object()); !why.empty())
      item.get_object()[text] = why;
  }
  return items;
}

/// The parts that an answer lacks, one a line.
void print_gone(json::object const& result, std::ostream& out) {
  for (json::value const& item : list_at(result, "gone")) {
    if (item.is_object())
      out << net::plain_text::cell(item.get_object(), "ref") << ' ' << net::plain_text::mark_of_gone(item.get_object())
          << '\n';
  }
}

}  // namespace

void show_records(json::object const& result, Io& io) {
  bool is_first = true;
  for (json::value const& item : list_at(result, "nodes")) {
    if (!item.is_object()) continue;
    json::object node = item.get_object();
    if (!is_first) io.data << '\n';
    is_first = false;
    io.data << net::plain_text::shown(net::plain_text::cell(node, "ref")) << '\n';
    Table table{{{"MEMBER"}, {"VALUE"}}};
    json::object const record = object_at(node, "record");
    for (std::string_view known : {"ref", "type", "id", "record"}) node.erase(known);
    for (auto const& member : record)
      table.add({std::string{member.key()}, net::plain_text::cell(record, member.key())});
    for (auto const& member : node) table.add({std::string{member.key()}, net::plain_text::cell(node, member.key())});
    table.print(io);
  }
}

void show_found(json::object const& result, Io& io) {
  print_nodes(list_at(result, "nodes"), io);
}
void show_matches(json::object const& result, Io& io) {
  Table table{{{"REF"}, {"LABEL"}, {"TEXT"}}};
  for (json::value const& item : list_at(result, "nodes")) {
    if (!item.is_object()) continue;
    json::object const& node = item.get_object();
    table.add({net::plain_text::cell(node, "ref"), net::plain_text::cell(node, "label"), text_of_snippets(node)});
  }
  table.print(io);
  std::string const total = net::plain_text::cell(result, "total");
  if (table.empty() || !total.empty())
    io.data << (result.contains("total_is_at_least") ? "at least " : "") << (total.empty() ? "0" : total) << " found\n";
  for (json::value const& each : list_at(result, "suggestions")) {
    if (each.is_string())
      io.talk << "whence: this finds something: " << net::plain_text::shown(each.get_string()) << '\n';
  }
}
void show_versions(json::object const& result, Io& io) {
  print_nodes(list_at(result, "versions"), io);
}
void show_count(json::object const& result, Io& io) {
  io.data << net::plain_text::cell(result, "count") << '\n';
}

void show_lineage(json::object const& result, Io& io) {
  print_labelled(list_at(result, "nodes"),
                 {{"DEPTH", "depth", Align::right}, {"WEIGHT", "weight", Align::right}, {"REF", "ref"}}, io);
  print_edges(list_at(result, "edges"), io);
}

void show_graph(json::object const& result, Io& io) {
  print_labelled(list_at(result, "nodes"), {{"NODE", "ref"}}, io);
  print_edges(list_at(result, "edges"), io);
  print_list(list_at(result, "frontier"),
             {{"NOT SHOWN AROUND", "ref"}, {"CAUSES", "causes", Align::right}, {"EFFECTS", "effects", Align::right}},
             io);
  print_pair("reduced edges", net::plain_text::cell(result, "reduced_edges"), io);
}

void show_paths(json::object const& result, Io& io) {
  Table table{{{"WEIGHT", Align::right}, {"PATH"}}};
  for (json::value const& item : list_at(result, "paths")) {
    if (!item.is_object()) continue;
    table.add({net::plain_text::cell(item.get_object(), "weight"), path_of(list_at(item.get_object(), "refs"))});
  }
  table.print(io);
  if (result.contains("dominators")) {
    std::string const dominators = path_of(list_at(result, "dominators"));
    print_pair("dominators", dominators.empty() ? "none" : dominators, io);
  }
  print_labelled(list_at(result, "nodes"), {{"NODE", "ref"}}, io);
}

void show_influence(json::object const& result, Io& io) {
  print_labelled(list_at(result, "nodes"), {share_column, depth_column, {"REF", "ref"}}, io);
}

void show_impact(json::object const& result, Io& io) {
  json::object const& counts = object_at(result, "counts");
  print_pair("by type", net::plain_text::cell(counts, "by_type"), io);
  print_pair("by depth", net::plain_text::cell(counts, "by_depth"), io);
  json::array const& nodes = list_at(result, "nodes");
  bool const has_dominators = std::ranges::any_of(
      nodes, [](json::value const& node) { return node.is_object() && node.get_object().contains("dominator"); });
  if (has_dominators) {
    print_labelled(nodes, {share_column, depth_column, {"REF", "ref"}, {"DOMINATOR", "dominator"}}, io);
  } else {
    print_labelled(nodes, {share_column, depth_column, {"REF", "ref"}}, io);
  }
}

void show_blame(json::object const& result, Io& io) {
  bool const is_named = result.contains("names");
  json::array suspects = list_at(result, is_named ? "names" : "nodes");
  for (json::value& each : suspects) {
    if (each.is_object() && !is_named) each.get_object()["details"] = net::plain_text::note_of(each.get_object());
  }
  if (suspects.empty()) {
    auto const rated = net::plain_text::cell(result, "all_rated");
    if (rated == "0") {
      io.talk << "whence: of the answers that are asked about none is rated\n";
    } else {
      io.talk << "whence: nobody to suspect: of " << rated << " rated answers, "
              << net::plain_text::cell(result, "all_bad") << " of them bad, none rests on such a source\n";
    }
    return;
  }
  Shown const lift{"LIFT", "lift", Align::right};
  Shown const lower{"LOWER", "lower", Align::right};
  if (is_named) return print_list(suspects, {lift, lower, {"SAYS", "says"}, {"NAME", "name"}}, io);
  print_list(suspects, {lift, lower, {"SAYS", "says"}, {"REF", "ref"}, {"DETAILS", "details"}}, io);
}

/// Lists of texts as a person reads them: `a, b`, and lists of these as `a, b; c`.
std::string joined(json::value const& list, std::string_view between) {
  std::string text;
  if (!list.is_array()) return list.is_string() ? std::string{list.get_string()} : std::string{};
  for (json::value const& each : list.get_array()) {
    text.append(text.empty() ? "" : between).append(joined(each, ", "));
  }
  return text;
}

/// `items`, in which `member` is joined.
json::array with_joined(json::array items, std::string_view member, std::string_view between) {
  for (json::value& each : items) {
    json::value* const list = each.is_object() ? each.get_object().if_contains(member) : nullptr;
    if (list != nullptr) *list = json::string(joined(*list, between));
  }
  return items;
}

void show_without(json::object const& result, Io& io) {
  std::string counts;
  for (auto const& [name, count] : object_at(result, "counts")) {
    counts.append(counts.empty() ? "" : ", ").append(name).append(" ").append(schema::json::to_text(count));
  }
  print_pair("counts", counts, io);
  print_section(
      "answers", list_at(result, "answers"),
      {{"EFFECT", "effect"}, {"LOST", "lost", Align::right}, {"REMAINS", "remains", Align::right}, {"REF", "ref"}}, io);
  bool const has_sets = std::ranges::any_of(list_at(result, "answers"), [](json::value const& answer) {
    return answer.is_object() && answer.get_object().contains("sets");
  });
  if (has_sets) {
    print_list(with_joined(list_at(result, "answers"), "sets", "; "), {{"REF", "ref"}, {"FALLS WITHOUT", "sets"}}, io);
  }
  print_section("fallen", list_at(result, "fallen"), {depth_column, {"REF", "ref"}}, io);
  print_section("alternatives", list_at(result, "alternatives"),
                {{"SUPPORTS", "supports", Align::right}, share_column, {"REF", "ref"}}, io);
}

void show_stale(json::object const& result, Io& io) {
  print_section("sources", with_joined(list_at(result, "sources"), "reasons", ", "),
                {{"REASONS", "reasons"}, {"REF", "ref"}, {"NEWER", "newer"}}, io);
  if (!list_at(result, "answers").empty()) print_section("answers", list_at(result, "answers"), {{"REF", "ref"}}, io);
  if (list_at(result, "citations").empty()) return;
  print_section("citations", list_at(result, "citations"),
                {{"NUMBER", "number", Align::right}, {"DOCUMENT", "document_name"}, {"THEN", "then"}, {"NOW", "now"}},
                io);
}

/// "[-removed-]" and "{+added+}" among what is the same.
void print_words(std::string_view title, json::object const& difference, Io& io) {
  std::string text;
  for (json::value const& item : list_at(difference, "parts")) {
    if (!item.is_object()) continue;
    std::string const op = net::plain_text::cell(item.get_object(), "op");
    std::string const words = net::plain_text::cell(item.get_object(), "text");
    text += op == "removed" ? "[-" + words + "-]" : op == "added" ? "{+" + words + "+}" : words;
  }
  print_pair(title, text, io);
}

void show_diff(json::object const& result, Io& io) {
  if (result.contains("changes")) {
    print_gone(result, io.data);
    if (result.contains("gone")) return;
    print_list(list_at(result, "changes"), {{"PATH", "path"}, {"BEFORE", "before"}, {"AFTER", "after"}}, io);
    return;
  }
  auto const columns = {Shown{"DEPTH", "depth", Align::right}, Shown{"WEIGHT", "weight", Align::right},
                        Shown{"REF", "ref"}};
  print_section("added", list_at(result, "added"), columns, io);
  print_section("removed", list_at(result, "removed"), columns, io);
  print_section("reweighted", list_at(result, "reweighted"),
                {{"BEFORE", "before", Align::right}, {"AFTER", "after", Align::right}, {"REF", "ref"}}, io);
  json::array const& versions = list_at(result, "versions");
  if (!versions.empty()) print_section("other versions", versions, {{"BEFORE", "a"}, {"AFTER", "b"}}, io);
  json::array const& moved = list_at(result, "moved");
  auto const places = {Shown{"BEFORE", "place_a", Align::right}, Shown{"AFTER", "place_b", Align::right},
                       Shown{"REF", "ref"}};
  if (!moved.empty()) print_section("moved in the prompt", moved, places, io);
  io.data << "in common: " << list_at(result, "common").size() << '\n';
  for (json::value const& version : versions) {
    if (!version.is_object() || !version.get_object().contains("words")) continue;
    print_words("text of " + net::plain_text::cell(version.get_object(), "b"), object_at(version.get_object(), "words"),
                io);
  }
  if (result.contains("text")) print_words("text", object_at(result, "text"), io);
  print_gone(result, io.data);
}

void show_history(json::object const& result, Io& io) {
  std::vector<Shown> columns = {
      {"TX", "tx", Align::right}, {"AT", "at"}, {"OP", "op"}, {"STATUS", "status"}, {"SCORE", "score", Align::right}};
  auto const& events = list_at(result, "events");
  auto const has_any = [&](std::string_view name) {
    return std::ranges::any_of(
        events, [&](json::value const& each) { return each.is_object() && each.get_object().contains(name); });
  };
  if (has_any("who")) columns.push_back({"WHO", "who"});
  if (has_any("reason")) columns.push_back({"REASON", "reason"});
  print_columns(events, columns, io);
}

void show_feedback(json::object const& result, Io& io) {
  for (std::string_view name : {"aggregate_score", "mean_score", "feedback_count", "status"}) {
    print_pair(name, net::plain_text::cell(result, name), io);
  }
  print_list(marked(list_at(result, "records"), "feedback_text"),
             {{"SCORE", "score", Align::right},
              {"TIME", "timestamp"},
              {"ID", "id"},
              {"USER", "user_id"},
              {"TEXT", "feedback_text"}},
             io);
}

void show_manifest(json::object const& result, Io& io) {
  json::object const& manifest = object_at(result, "manifest");
  for (std::string_view name : {"response_id", "timestamp", "agent", "model", "token_count"}) {
    print_pair(name, net::plain_text::cell(manifest, name), io);
  }
  if (std::string const why = net::plain_text::mark_of_gone(manifest); !why.empty())
    print_pair("agent, model", why, io);
  print_pair("manifest_bytes", net::plain_text::cell(result, "manifest_bytes"), io);
  if (!list_at(result, "omitted").empty()) print_pair("omitted", net::plain_text::cell(result, "omitted"), io);
  print_list(marked(list_at(manifest, "context_tree"), "summary"),
             {{"WEIGHT", "weight", Align::right},
              {"ID", "id"},
              {"TYPE", "type"},
              {"SOURCE", "source"},
              {"SUMMARY", "summary"}},
             io);
}

void show_context(json::object const& result, Io& io) {
  json::object const& summary = object_at(result, "currentSummary");
  if (!summary.empty())
    print_pair("summary through round " + net::plain_text::cell(summary, "roundNumber"),
               net::plain_text::cell(summary, "summary"), io);
  Table table{{{"ROUND", Align::right}, {"WHO"}, {"SAID"}}};
  for (json::value const& item : list_at(result, "rounds")) {
    if (!item.is_object()) continue;
    json::object const& round = item.get_object();
    for (schema::Speaker const& speaker : schema::speakers()) {
      json::object const& response = object_at(round, speaker.member);
      if (!response.empty())
        table.add({net::plain_text::cell(round, "roundNumber"), std::string{speaker.name},
                   net::plain_text::cell(response, "content")});
    }
  }
  table.print(io);
  print_pair("open round", net::plain_text::cell(result, "currentRound"), io);
  print_pair("tokens", net::plain_text::cell(result, "tokens"), io);
  print_gone(result, io.data);
}

// Line by line, because `shown` would escape the line breaks.
void show_prompt(json::object const& result, Io& io) {
  std::string const prompt = net::plain_text::cell(result, "prompt");
  std::string_view rest = prompt;
  while (!rest.empty()) {
    std::size_t const end = std::min(rest.find('\n'), rest.size());
    io.data << net::plain_text::shown(rest.substr(0, end)) << '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  print_gone(result, io.talk);  // the text goes to a model as it is
}

void show_tokens(json::object const& result, Io& io) {
  print_pair("total", net::plain_text::cell(result, "total"), io);
  print_members(object_at(result, "parts"), io);
  print_pair("rounds", net::plain_text::cell(result, "rounds"), io);
  print_gone(result, io.data);
}

void show_answer(json::object const& result, Io& io) {
  json::object const& answer = object_at(result, "answer");
  json::object const& query = object_at(result, "query");
  std::string const why = net::plain_text::mark_of_gone(query);
  print_pair("question", why.empty() ? net::plain_text::cell(query, "question") : why, io);
  print_pair("answer", net::plain_text::mark_of_gone(answer), io);
  for (std::string_view name : {"answer", "message", "confidence", "flags"})
    print_pair(name, net::plain_text::cell(answer, name), io);
  print_list(marked(list_at(answer, "citations"), "excerpt"),
             {{"CITED", "document_name"},
              {"PAGE", "page_number", Align::right},
              {"SECTION", "section"},
              {"CHUNK", "chunk_id"},
              {"EXCERPT", "excerpt"}},
             io);
  print_list(marked(list_at(result, "retrieved_chunks"), "content"),
             {{"RANK", "rank", Align::right},
              {"SIMILARITY", "similarity_score", Align::right},
              {"CHUNK", "chunk_id"},
              {"CONTENT", "content"}},
             io);
}

// A row for each object of a list, named by its `name`: the servers and nodes of a replicated log.
void add_named(Table& table, std::string const& what, json::array const& list) {
  for (json::value const& each : list) {
    json::object const& object = each.get_object();
    std::string said;
    for (auto const& member : object) {
      if (member.key() == "name") continue;
      said +=
          (said.empty() ? "" : "  ") + std::string{member.key()} + ' ' + net::plain_text::cell(object, member.key());
    }
    table.add({what + ' ' + net::plain_text::cell(object, "name"), std::move(said)});
  }
}

void show_stats(json::object const& result, Io& io) {
  Table table{{{"WHAT"}, {"VALUE", Align::right}}};
  for (auto const& member : result) {
    if (!member.value().is_object()) {
      table.add({std::string{member.key()}, net::plain_text::cell(result, member.key())});
      continue;
    }
    json::object const& group = member.value().get_object();
    for (auto const& inner : group) {
      std::string what = std::string{member.key()} + " " + std::string{inner.key()};
      json::array const* const list = inner.value().if_array();
      if (list != nullptr &&
          std::all_of(list->begin(), list->end(), [](json::value const& each) { return each.is_object(); }))
        add_named(table, what, *list);
      else
        table.add({std::move(what), net::plain_text::cell(group, inner.key())});
    }
  }
  table.print(io);
}

void show_verification(json::object const& result, Io& io) {
  json::value const* const ok = result.if_contains("ok");
  bool const is_ok = ok != nullptr && ok->is_bool() && ok->get_bool();
  io.data << (is_ok ? "verified" : "DAMAGED") << " at transaction " << net::plain_text::cell(result, "tx") << '\n';
  print_members(object_at(result, "checked"), io);
  print_list(list_at(result, "problems"), {{"WHERE", "where"}, {"RULE", "rule"}, {"MESSAGE", "message"}}, io);
}

}  // namespace whence::tools
