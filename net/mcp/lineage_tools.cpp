// What each tool asks of the protocol, and how it words the answer.

#include "net/mcp/lineage_tools.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/record_line.hpp"
#include "net/plain_text/tree.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/types/record_type.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <boost/algorithm/string/replace.hpp>

namespace whence::net::mcp {
namespace {

namespace json = boost::json;

/// The params of one page: those of `names`, and for the first page the moment and that records come with the nodes.
json::object page_params(json::object const& arguments, std::initializer_list<std::string_view> names,
                         std::int64_t limit) {
  auto params = params_from(arguments, names);
  params["limit"] = limit;
  if (params.contains("cursor")) return params;
  add_moment(params, arguments);
  params["include"] = json::array{"record"};
  return params;
}

/// The lines and the data of a list of nodes with shares.
void add_shares(ToolAnswer& made, json::array const& nodes, std::function<bool(json::object const&)> const& is_wanted) {
  json::array listed;
  for (auto const& each : nodes) {
    auto const& node = each.as_object();
    if (!is_wanted(node)) continue;
    made.text += plain_text::cell(node, "share") + "  " + plain_text::cell(node, "ref") + "  " + label_of(node) + "\n";
    listed.push_back(short_node(node));
  }
  made.data["nodes"] = std::move(listed);
}

/// Whether and how to go on, for an answer with pages.
void add_pages(ToolAnswer& made, json::object const& answer) {
  made.data["tx"] = answer.at("tx");
  made.data["complete"] = answer.at("complete");
  auto const cursor = plain_text::cell(answer, "cursor");
  if (cursor.empty()) return;
  made.data["cursor"] = cursor;
  made.text += "\nThere is more: ask again with the cursor " + cursor + "\n";
}

/// Whether a node is a source: something that was there before any model spoke.
bool is_source(json::object const& node) {
  auto const type = schema::find_record_type(plain_text::cell(node, "type"));
  return type && (*type == schema::RecordType::context_unit || *type == schema::RecordType::retrieved_chunk ||
                  *type == schema::RecordType::document || *type == schema::RecordType::message);
}

/// The citations of an answer, as it numbers them.
Result<std::string> citations_of(Call const& call, json::object params, json::array& citations) {
  params["include"] = json::array{"record"};
  auto const answer = ask(call, "node.get", params);
  if (!answer) return answer.error();
  std::string text;
  auto const& node = schema::json::list_at(*answer, "nodes").front().as_object();
  auto const* const record = node.if_contains("record");
  if (record == nullptr) return text;
  for (auto const& each : schema::json::list_at(record->as_object(), "citations")) {
    auto const& citation = each.as_object();
    text += "[" + std::to_string(citations.size() + 1) + "] " + plain_text::cell(citation, "document_name");
    if (auto const page = plain_text::cell(citation, "page_number"); !page.empty()) text += ", page " + page;
    if (auto const chunk = plain_text::cell(citation, "chunk_id"); !chunk.empty()) text += ", RetrievedChunk:" + chunk;
    text += ": " + std::string(schema::cut(plain_text::cell(citation, "excerpt"), label_bytes_max)) + "\n";
    citations.push_back(citation);
  }
  return text;
}

/// An error of `lineage.diff` that names the arguments of `diff`.
Error in_own_words(Error error) {
  for (auto const& [theirs, ours] : {std::pair{"as_of_a", "before"}, std::pair{"as_of_b", "after"}})
    boost::algorithm::replace_all(error.message, theirs, ours);
  return error;
}

}  // namespace

ToolAnswer why(Call const& call, json::object const& arguments) {
  return fitted(arguments, 60, [&](std::int64_t limit) -> Result<ToolAnswer> {
    auto params = params_from(arguments, {"ref"});
    add_moment(params, arguments);
    params["up"] = number_of(arguments, "depth", 6);
    params["down"] = 0;
    params["limit"] = limit;
    params["include"] = json::array{"record", "status"};
    auto const graph = ask(call, "lineage.graph", params);
    if (!graph) return graph.error();
    ToolAnswer made;
    plain_text::NodeNotes notes;
    json::array nodes;
    for (auto const& node : schema::json::list_at(*graph, "nodes")) {
      notes.emplace(plain_text::cell(node.as_object(), "ref"), label_of(node.as_object()));
      nodes.push_back(short_node(node.as_object()));
    }
    auto const root =
        nodes.empty() ? plain_text::cell(arguments, "ref") : plain_text::cell(nodes.front().as_object(), "ref");
    made.text = plain_text::render_tree(root, schema::json::list_at(*graph, "edges"), notes);
    json::array hidden;
    for (auto const& each : schema::json::list_at(*graph, "frontier")) {
      auto const& node = each.as_object();
      if (auto const count = number_of(node, "causes", 0); count > 0) {
        hidden.push_back(json::object{{"ref", plain_text::cell(node, "ref")}, {"causes", count}});
      }
    }
    if (!hidden.empty()) {
      made.text += "\nNot all is shown. Ask `why` again of:\n";
      for (std::size_t i = 0; i < std::min<std::size_t>(hidden.size(), 10); ++i) {
        auto const& each = hidden[i].as_object();
        made.text += "  " + plain_text::cell(each, "ref") + " (" + plain_text::cell(each, "causes") + " more causes)\n";
      }
    }
    made.data = {{"ref", root},
                 {"tx", graph->at("tx")},
                 {"complete", hidden.empty()},
                 {"nodes", std::move(nodes)},
                 {"edges", schema::json::list_at(*graph, "edges")},
                 {"not_shown", std::move(hidden)}};
    return made;
  });
}

ToolAnswer impact(Call const& call, json::object const& arguments) {
  return fitted(arguments, 50, [&](std::int64_t limit) -> Result<ToolAnswer> {
    auto const params = page_params(arguments, {"refs", "cursor"}, limit);
    auto const answer = ask(call, "impact.analyze", params);
    if (!answer) return answer.error();
    ToolAnswer made;
    if (auto const* const counts = answer->if_contains("counts"); counts != nullptr && counts->is_object()) {
      made.data["counts"] = *counts;
      for (auto const& count : counts->get_object().at("by_type").as_object()) {
        made.text += std::string(count.key()) + ": " + schema::json::to_text(count.value()) + "\n";
      }
    }
    made.text += made.text.empty() ? "Nothing was made from it.\n" : "\nshare, what was made from it:\n";
    add_shares(made, schema::json::list_at(*answer, "nodes"), [](json::object const&) { return true; });
    add_pages(made, *answer);
    return made;
  });
}

ToolAnswer cite(Call const& call, json::object const& arguments) {
  return fitted(arguments, 100, [&](std::int64_t limit) -> Result<ToolAnswer> {
    auto params = params_from(arguments, {"ref"});
    add_moment(params, arguments);
    json::array citations;
    auto const cited = citations_of(call, params, citations);
    if (!cited) return cited.error();
    params["limit"] = limit;
    params["include"] = json::array{"record"};
    auto const answer = ask(call, "lineage.influence", params);
    if (!answer) return answer.error();
    ToolAnswer made;
    if (!cited->empty()) made.text = "Citations:\n" + *cited + "\n";
    made.text += "share, source:\n";
    add_shares(made, schema::json::list_at(*answer, "nodes"), is_source);
    made.data["citations"] = std::move(citations);
    made.data["tx"] = answer->at("tx");
    made.data["complete"] = answer->at("complete");
    if (!answer->at("complete").as_bool())
      made.text += "\nThere are more sources with smaller shares: give a higher limit.\n";
    return made;
  });
}

ToolAnswer diff(Call const& call, json::object const& arguments) {
  return fitted(arguments, 100, [&](std::int64_t limit) -> Result<ToolAnswer> {
    auto params = params_from(arguments, {"a", "b", "ref"});
    if (arguments.contains("before")) params["as_of_a"] = moment_of(plain_text::cell(arguments, "before"));
    if (arguments.contains("after")) params["as_of_b"] = moment_of(plain_text::cell(arguments, "after"));
    auto const answer = ask(call, "lineage.diff", params);
    if (!answer) return in_own_words(answer.error());
    ToolAnswer made;
    bool is_complete = answer->at("complete").as_bool();
    for (auto const list : {"added", "removed", "reweighted", "versions", "moved", "common"}) {
      auto const& all = schema::json::list_at(*answer, list);
      auto const shown = std::min(all.size(), static_cast<std::size_t>(limit));
      is_complete = is_complete && shown == all.size();
      made.text += std::string(list) + ": " + std::to_string(all.size()) + "\n";
      json::array items;
      for (std::size_t i = 0; i < shown; ++i) {
        auto const& node = all[i].as_object();
        made.text += "  " + plain_text::cell(node, "ref");
        for (auto const& [before, after] :
             {std::pair{"before", "after"}, std::pair{"a", "b"}, std::pair{"place_a", "place_b"}}) {
          if (!node.contains(before)) continue;
          made.text += "  " + plain_text::cell(node, before) + " -> " + plain_text::cell(node, after);
        }
        made.text += "\n";
        items.push_back(node);
      }
      made.data[list] = std::move(items);
    }
    if (auto const* const words = answer->if_contains("text"); words != nullptr && words->is_object()) {
      made.text += "text: ";
      for (auto const& each : schema::json::list_at(words->get_object(), "parts")) {
        auto const& part = each.as_object();
        auto const op = plain_text::cell(part, "op");
        auto const text = plain_text::cell(part, "text");
        made.text += op == "removed" ? "[-" + text + "-]" : op == "added" ? "{+" + text + "+}" : text;
      }
      made.text += "\n";
      made.data["text"] = *words;
    }
    for (auto const& each : schema::json::list_at(*answer, "gone")) {
      auto const& side = each.as_object();
      made.text += plain_text::cell(side, "ref") + " " + plain_text::mark_of_gone(side) + "\n";
    }
    made.data["complete"] = is_complete;
    if (!is_complete) made.text += "\nNot all is shown: give a higher limit.\n";
    return made;
  });
}

ToolAnswer blame(Call const& call, json::object const& arguments) {
  return fitted(arguments, 20, [&](std::int64_t limit) -> Result<ToolAnswer> {
    auto params =
        page_params(arguments, {"responses", "score_below", "of", "agent", "model", "topic", "cursor"}, limit);
    if (!params.contains("cursor") && arguments.contains("since"))
      params["since"] = moment_of(plain_text::cell(arguments, "since"));
    auto const answer = ask(call, "impact.blame", params);
    if (!answer) return answer.error();
    ToolAnswer made;
    for (auto const list : {"nodes", "names"}) {
      json::array listed;
      for (auto const& each : schema::json::list_at(*answer, list)) {
        auto const& suspect = each.as_object();
        bool const is_named = suspect.contains("name");
        made.text += plain_text::cell(suspect, is_named ? "name" : "ref") + "  " + plain_text::cell(suspect, "says") +
                     (is_named ? std::string() : "  " + label_of(suspect)) + "\n";
        listed.push_back(is_named ? json::value(suspect) : json::value(short_node(suspect)));
      }
      if (!listed.empty()) made.data[list] = std::move(listed);
    }
    if (made.text.empty()) made.text = "Nobody is suspected: no rated answer rests on anything of the kind.\n";
    add_pages(made, *answer);
    return made;
  });
}

ToolAnswer without(Call const& call, json::object const& arguments) {
  return fitted(arguments, 50, [&](std::int64_t limit) -> Result<ToolAnswer> {
    auto const params = page_params(arguments, {"refs", "sets", "cursor"}, limit);
    auto const answer = ask(call, "impact.without", params);
    if (!answer) return answer.error();
    ToolAnswer made;
    if (auto const* const counts = answer->if_contains("counts")) {
      made.data["counts"] = *counts;
      made.text += schema::json::to_text(*counts) + "\n";
    }
    for (auto const list : {"answers", "fallen", "alternatives"}) {
      json::array listed;
      made.text += std::string(list) + ":\n";
      for (auto const& each : schema::json::list_at(*answer, list)) {
        auto const& node = each.as_object();
        made.text += "  " + plain_text::cell(node, "ref") + "  " + plain_text::cell(node, "effect") + " " +
                     plain_text::cell(node, "lost") + "  " + label_of(node) + "\n";
        listed.push_back(short_node(node));
      }
      made.data[list] = std::move(listed);
    }
    add_pages(made, *answer);
    return made;
  });
}

ToolAnswer replay_plan(Call const& call, json::object const& arguments) {
  return fitted(arguments, 50, [&](std::int64_t limit) -> Result<ToolAnswer> {
    auto const params = page_params(arguments, {"refs", "mended", "cursor"}, limit);
    auto const answer = ask(call, "impact.replay_plan", params);
    if (!answer) return answer.error();
    ToolAnswer made;
    if (auto const* const counts = answer->if_contains("counts")) {
      made.data["counts"] = *counts;
      made.text += schema::json::to_text(*counts) + "\n";
    }
    json::array listed;
    for (auto const& each : schema::json::list_at(*answer, "calls")) {
      auto const& call_again = each.as_object();
      made.text += plain_text::cell(call_again, "stage") + "  " + plain_text::cell(call_again, "ref") + "  " +
                   label_of(call_again) + "\n";
      for (auto const& input : schema::json::list_at(call_again, "inputs")) {
        auto const newer = plain_text::cell(input.as_object(), "newer");
        made.text += "    " + plain_text::cell(input.as_object(), "state") + "  " +
                     plain_text::cell(input.as_object(), "ref") + (newer.empty() ? "" : "  newer: " + newer) + "\n";
      }
      auto shown = short_node(call_again);
      for (auto const name : {"stage", "effect", "lost", "input_tokens", "output_tokens", "cost", "inputs"}) {
        if (auto const* const value = call_again.if_contains(name)) shown.emplace(name, *value);
      }
      listed.push_back(std::move(shown));
    }
    made.data["calls"] = std::move(listed);
    add_pages(made, *answer);
    return made;
  });
}

ToolAnswer stale(Call const& call, json::object const& arguments) {
  return fitted(arguments, 50, [&](std::int64_t limit) -> Result<ToolAnswer> {
    auto const params = page_params(arguments, {"ref", "cursor"}, limit);
    auto const answer = ask(call, "lineage.stale", params);
    if (!answer) return answer.error();
    ToolAnswer made;
    for (auto const list : {"sources", "answers"}) {
      json::array listed;
      made.text += std::string(list) + ":\n";
      for (auto const& each : schema::json::list_at(*answer, list)) {
        auto const& node = each.as_object();
        made.text += "  " + plain_text::cell(node, "ref") + "  " + plain_text::cell(node, "reasons") + " " +
                     plain_text::cell(node, "newer") + "  " + label_of(node) + "\n";
        listed.push_back(short_node(node));
      }
      made.data[list] = std::move(listed);
    }
    made.data["citations"] = schema::json::list_at(*answer, "citations");
    for (auto const& each : schema::json::list_at(*answer, "citations")) {
      auto const& citation = each.as_object();
      made.text += "[" + plain_text::cell(citation, "number") + "] " + plain_text::cell(citation, "document_name") +
                   ": then " + plain_text::cell(citation, "then") + ", now " + plain_text::cell(citation, "now") + "\n";
    }
    add_pages(made, *answer);
    return made;
  });
}

}  // namespace whence::net::mcp
