// The questions of a case, in the order in which the explorer's case/gather.js asks them.

#include "tools/cli/cases/gather.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/json/members.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;
using schema::json::find_object;
using schema::json::list_at;

constexpr int case_nodes_max = 10'000;
constexpr int case_sources_max = 60;
constexpr int case_near_max = 50;
constexpr int case_stale_max = 100;
constexpr int case_effects_max = 13;
constexpr std::size_t case_changed_max = 24;
constexpr std::size_t case_records_per_call = 500;
constexpr std::size_t case_newest = 1'000;
constexpr int case_pages_max = 20;
constexpr int case_page = 10'000;
constexpr int case_depth_max = 1'000'000;

constexpr std::array<std::string_view, 5> rated_types = {"ContextUnit", "RetrievedChunk", "Document", "Response",
                                                         "Answer"};
constexpr std::array<std::string_view, 4> versioned_types = {"ContextUnit", "Summary", "SystemPromptTemplate",
                                                             "ProvEntity"};

template <class Names>
bool is_one_of(Names const& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

json::array include_of(bool has_edges = false) {
  json::array names{"record", "status"};
  if (has_edges) names.emplace_back("edges");
  return names;
}

/// The objects of a list; a server may be anybody.
std::vector<json::object const*> objects_in(json::object const& answer, std::string_view name) {
  std::vector<json::object const*> objects;
  for (auto const& each : list_at(answer, name)) {
    if (each.is_object()) objects.push_back(&each.get_object());
  }
  return objects;
}

json::value member_of(json::object const& object, std::string_view name) {
  json::value const* const value = object.if_contains(name);
  return value == nullptr ? json::value(nullptr) : *value;
}

/// A member of a record, empty where the record has none, or is gone.
std::string said(json::object const* node, std::string_view name) {
  json::object const* const record = node == nullptr ? nullptr : find_object(*node, "record");
  return record == nullptr ? std::string{} : cell(*record, name);
}

/// Whether an answer says no more than that there is nothing, or that it is gone.
bool is_nothing_there(CallError const& error) {
  return error.exit == ExitCode::not_found;
}

/// After a failed call nothing more is asked, and every answer is empty: `finish` says what failed.
class Gathering {
 public:
  Gathering(Caller& caller, json::object moment) : caller_(caller), moment_(std::move(moment)) {}

  void add(std::string const& ref);

  [[nodiscard]] CallResult<json::object> finish(std::string const& made);

 private:
  [[nodiscard]] CallResult<json::object> call(std::string_view method, json::object const& params);
  /// A call of the case's moment; the first one fixes it.
  [[nodiscard]] CallResult<json::object> call_then(std::string_view method, json::object params);
  /// The same; empty where it failed.
  json::object ask(std::string_view method, json::object params);
  /// The same; nothing where the server says that there is nothing, or that it is gone.
  std::optional<json::object> ask_optional(std::string_view method, json::object params);

  void take(json::array const& nodes);
  void join(json::array const& edges);
  void keep(std::string_view method, std::string const& of, std::optional<json::object> result);
  std::optional<json::object> put(std::string_view method, std::string const& of, json::object params);
  void put_newest(std::string_view method, std::string const& ref, std::string_view list);
  void cut_to_newest(json::object& result, std::string_view method, std::string_view list);
  json::object ask_on(json::value const& cursor, std::string_view method);
  [[nodiscard]] json::object const* find(std::string const& ref) const;
  [[nodiscard]] bool has_answer(std::string_view method, std::string const& of) const;

  void add_picture(std::string const& ref);
  void add_records(std::vector<std::string> const& refs);
  void add_act(std::string const& ref, std::string const& type, std::string const& other,
               std::optional<json::object> const& sources);
  json::object const* add_near(std::string_view method, std::string const& response, std::string_view edge_type);
  void add_retrieval(std::string const& request, json::object const& rag);
  void add_question(json::object const& message);
  void add_changes(std::string const& ref, std::optional<json::object> const& sources);
  void add_blame(std::string const& ref);

  Caller& caller_;
  std::optional<CallError> failure_ = {};
  json::object moment_;
  json::value tx_ = nullptr;
  json::array nodes_ = {};
  std::unordered_map<std::string, std::size_t> places_ = {};  // in `nodes_`, by ref
  json::array edges_ = {};
  std::unordered_set<std::string> edge_keys_ = {};
  json::array answers_ = {};
  std::unordered_map<std::string, std::size_t> answer_places_ = {};
  json::array cases_ = {};
};

CallResult<json::object> Gathering::call(std::string_view method, json::object const& params) {
  if (failure_) return *failure_;
  auto answer = caller_.call(method, params);
  if (!answer) return answer.error();
  if (!answer->is_object()) return CallError{.message = std::string(method) + ": the result is no object"};
  return std::move(answer->get_object());
}

CallResult<json::object> Gathering::call_then(std::string_view method, json::object params) {
  for (auto const& member : moment_) params[member.key()] = member.value();
  auto answer = call(method, params);
  if (answer && tx_.is_null()) {
    tx_ = member_of(*answer, "tx");
    moment_ = {{"as_of", tx_}};
  }
  return answer;
}

json::object Gathering::ask(std::string_view method, json::object params) {
  auto answer = call_then(method, std::move(params));
  if (!answer) failure_ = answer.error();
  return answer ? std::move(*answer) : json::object{};
}

std::optional<json::object> Gathering::ask_optional(std::string_view method, json::object params) {
  auto answer = call_then(method, std::move(params));
  if (answer) return std::move(*answer);
  if (!is_nothing_there(answer.error())) failure_ = answer.error();
  return {};
}

json::object const* Gathering::find(std::string const& ref) const {
  auto const found = places_.find(ref);
  return found == places_.end() ? nullptr : &nodes_[found->second].get_object();
}

bool Gathering::has_answer(std::string_view method, std::string const& of) const {
  return answer_places_.contains(std::string(method) + ' ' + of);
}

/// Keeps nodes with what every question says of them; one without its record gives way to one that has it.
void Gathering::take(json::array const& nodes) {
  for (auto const& each : nodes) {
    if (!each.is_object()) continue;
    json::object node = each.get_object();
    for (char const* const name : {"depth", "weight", "share", "edges"}) node.erase(name);
    std::string const ref = cell(node, "ref");
    auto const [place, is_new] = places_.emplace(ref, nodes_.size());
    if (is_new) {
      nodes_.push_back(std::move(node));
    } else if (!nodes_[place->second].get_object().contains("record")) {
      nodes_[place->second] = std::move(node);
    }
  }
}

void Gathering::join(json::array const& edges) {
  for (auto const& each : edges) {
    if (!each.is_object()) continue;
    json::object const& edge = each.get_object();
    if (edge_keys_.insert(cell(edge, "type") + ' ' + cell(edge, "from") + ' ' + cell(edge, "to")).second)
      edges_.push_back(edge);
  }
}

/// Keeps an answer under its method and what it is about; records of the nodes that it lists are kept once.
void Gathering::keep(std::string_view method, std::string const& of, std::optional<json::object> result) {
  json::value kept = nullptr;
  if (result) {
    if (auto* const nodes = result->if_contains("nodes"); nodes != nullptr && nodes->is_array()) {
      take(nodes->get_array());
      for (auto& node : nodes->get_array()) {
        if (node.is_object()) node.get_object().erase("record");
      }
    }
    kept = std::move(*result);
  }
  json::object answer{{"method", method}, {"of", of}, {"result", std::move(kept)}};
  auto const [place, is_new] = answer_places_.emplace(std::string(method) + ' ' + of, answers_.size());
  if (is_new) {
    answers_.push_back(std::move(answer));
  } else {
    answers_[place->second] = std::move(answer);
  }
}

std::optional<json::object> Gathering::put(std::string_view method, std::string const& of, json::object params) {
  auto result = ask_optional(method, std::move(params));
  keep(method, of, result);
  return result;
}

/// Follows the cursor of an answer whose list begins with the oldest, and leaves its newest entries; `left` says how
/// many older ones there are, `isCut` whether the end was not reached.
void Gathering::cut_to_newest(json::object& result, std::string_view method, std::string_view list) {
  json::array entries = list_at(result, list);
  std::uint64_t left = 0;
  json::value cursor = member_of(result, "cursor");
  bool const is_paged = !cursor.is_null();
  for (int page = 0; page < case_pages_max && !cursor.is_null() && !failure_; ++page) {
    json::object const more = ask_on(cursor, method);
    for (auto const& entry : list_at(more, list)) entries.push_back(entry);
    std::size_t const too_many = entries.size() - std::min(entries.size(), case_newest);
    entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(too_many));
    left += too_many;
    cursor = member_of(more, "cursor");
  }
  result[list] = std::move(entries);
  result["left"] = left;
  if (is_paged) result["isCut"] = !cursor.is_null();
  result.erase("cursor");
}

/// The next page of an answer.
json::object Gathering::ask_on(json::value const& cursor, std::string_view method) {
  auto page = call(method, {{"cursor", cursor}, {"limit", case_page}});
  if (!page) failure_ = page.error();
  return page ? std::move(*page) : json::object{};
}

/// An answer whose list begins with the oldest, cut to its newest entries; `left` says how many older ones there are.
void Gathering::put_newest(std::string_view method, std::string const& ref, std::string_view list) {
  auto result = ask_optional(method, {{"ref", ref}, {"limit", case_newest}});
  if (result) cut_to_newest(*result, method, list);
  keep(method, ref, std::move(result));
}

void Gathering::add(std::string const& ref) {
  json::object const found = ask("node.get", {{"ref", ref}, {"include", include_of(true)}});
  take(list_at(found, "nodes"));
  auto const nodes = objects_in(found, "nodes");
  if (nodes.empty()) {
    if (!failure_) failure_ = CallError{.message = "the result has no node"};
    return;
  }
  std::string const own = cell(*nodes.front(), "ref");
  std::string const type = cell(*nodes.front(), "type");
  std::string other;
  for (auto const* const edge : objects_in(*nodes.front(), "edges")) {
    if (cell(*edge, "type") != "SAME_ACT") continue;
    other = cell(*edge, "from") == own ? cell(*edge, "to") : cell(*edge, "from");
    join(json::array{json::value(*edge)});
    break;
  }
  add_picture(own);
  if (!other.empty()) add_records({other});
  auto const sources =
      put("lineage.influence", own, {{"ref", own}, {"limit", case_sources_max}, {"include", include_of()}});
  if (is_one_of(rated_types, type)) put_newest("feedback.list", own, "records");
  put_newest("history.get", own, "events");
  static_cast<void>(put("impact.analyze", own,
                        {{"refs", json::array{json::value(own)}},
                         {"order", "share"},
                         {"limit", case_effects_max},
                         {"include", json::array{json::value("record")}}}));
  if (type == "Response" || type == "Answer") add_act(own, type, other, sources);
}

/// Everything that the node was made from.
void Gathering::add_picture(std::string const& ref) {
  json::object const graph =
      ask("lineage.graph",
          {{"ref", ref}, {"up", case_depth_max}, {"down", 0}, {"relations", true}, {"limit", case_nodes_max}});
  std::vector<std::string> refs;
  json::array names;
  for (auto const* const node : objects_in(graph, "nodes")) {
    refs.push_back(cell(*node, "ref"));
    names.emplace_back(refs.back());
  }
  cases_.push_back(json::object{{"ref", ref}, {"refs", std::move(names)}, {"frontier", list_at(graph, "frontier")}});
  join(list_at(graph, "edges"));
  add_records(refs);
}

void Gathering::add_records(std::vector<std::string> const& refs) {
  std::vector<std::string> lacking;
  std::ranges::copy_if(refs, std::back_inserter(lacking), [&](auto const& ref) { return find(ref) == nullptr; });
  for (std::size_t at = 0; at < lacking.size(); at += case_records_per_call) {
    json::array part;
    for (auto i = at; i < std::min(lacking.size(), at + case_records_per_call); ++i) part.emplace_back(lacking[i]);
    take(list_at(ask("node.get", {{"refs", std::move(part)}, {"include", include_of()}}), "nodes"));
  }
}

/// The records of a retrieval, and how near what it found was.
void Gathering::add_retrieval(std::string const& request, json::object const& rag) {
  if (find_object(rag, "query") != nullptr) {
    json::object const found = ask("node.get", {{"ref", "Query:" + request}, {"include", include_of(true)}});
    for (auto const* const node : objects_in(found, "nodes")) {
      for (auto const* const edge : objects_in(*node, "edges")) {
        if (cell(*edge, "type") == "RETRIEVED_FOR") join(json::array{json::value(*edge)});
      }
    }
    take(list_at(found, "nodes"));
  }
  std::vector<std::string> refs;
  if (find_object(rag, "prompt_context") != nullptr) refs.push_back("PromptContext:" + request);
  for (auto const* const chunk : objects_in(rag, "retrieved_chunks")) {
    refs.push_back("RetrievedChunk:" + cell(*chunk, "chunk_id"));
  }
  add_records(refs);
}

/// The XML beside a response on one side, if there is any.
json::object const* Gathering::add_near(std::string_view method, std::string const& response,
                                        std::string_view edge_type) {
  json::object const found = ask(method, {{"ref", response},
                                          {"depth", 1},
                                          {"edge_types", json::array{json::value(edge_type)}},
                                          {"form", "graph"},
                                          {"limit", case_near_max},
                                          {"include", include_of()}});
  take(list_at(found, "nodes"));
  join(list_at(found, "edges"));
  for (auto const* const node : objects_in(found, "nodes")) {
    if (cell(*node, "type") == "XMLMessageAttachment") return find(cell(*node, "ref"));
  }
  return nullptr;
}

/// What the page of an answer has beside what every page has.
void Gathering::add_act(std::string const& ref, std::string const& type, std::string const& other,
                        std::optional<json::object> const& sources) {
  bool const is_response = type == "Response";
  std::string const response = is_response ? ref : other;
  json::object const* const answer = find(is_response ? other : ref);
  std::string request = answer == nullptr ? std::string{} : cell(*answer, "id");
  if (request.empty()) request = said(find(response), "request_id");
  bool has_question = !said(find(response), "prompt").empty();
  if (!request.empty()) {
    auto const rag = ask_optional("rag.get", {{"request_id", request}});
    if (rag) add_retrieval(request, *rag);
    has_question = has_question || (rag && find_object(*rag, "query") != nullptr);
  }
  std::vector<json::object> texts;  // copies: what is kept moves when more is kept
  std::optional<json::object> rendered;
  if (!response.empty()) {
    if (auto const* const query = add_near("lineage.ancestors", response, "PROMPTED")) {
      texts.push_back(*query);
      has_question = true;
    }
    if (auto const* const reply = add_near("lineage.descendants", response, "RENDERED_AS")) {
      texts.push_back(*reply);
      rendered = *reply;
    }
  }
  for (auto const& text : texts) {
    std::string const hash = cell(text, "id");
    if (said(&text, "xmlContent").empty()) static_cast<void>(put("attachment.get", hash, {{"hash", hash}}));
  }
  if (!has_question && rendered && find_object(*rendered, "record") != nullptr) {
    add_question(*find_object(*rendered, "record"));
  }
  add_changes(ref, sources);
  if (sources) {
    for (auto const* const each : objects_in(*sources, "nodes")) {
      std::string const source = cell(*each, "ref");
      if (is_one_of(rated_types, cell(*each, "type")) && !has_answer("feedback.list", source))
        static_cast<void>(put("feedback.list", source, {{"ref", source}, {"limit", 1}}));
    }
  }
  add_blame(ref);
}

/// What was asked last before a message of a conversation.
void Gathering::add_question(json::object const& message) {
  std::string const topic = cell(message, "topicId");
  auto listed = ask_optional("attachment.list", {{"topicId", topic}, {"format", "llm-query"}, {"limit", 1000}});
  std::optional<json::object> question;
  if (listed) {
    json::value const* const made = message.if_contains("createdAt");
    for (auto const* const each : objects_in(*listed, "records")) {
      json::value const* const at = each->if_contains("createdAt");
      bool const is_before = made != nullptr && at != nullptr && made->is_number() && at->is_number() &&
                             at->to_number<double>() <= made->to_number<double>();
      if (is_before) question = *each;
    }
    json::array kept;
    if (question) kept.push_back(*question);
    listed = json::object{
        {"tx", member_of(*listed, "tx")}, {"complete", member_of(*listed, "complete")}, {"records", std::move(kept)}};
  }
  keep("attachment.list", topic, std::move(listed));
  if (!question || !cell(*question, "xmlContent").empty()) return;
  std::string const hash = cell(*question, "hash");
  static_cast<void>(put("attachment.get", hash, {{"hash", hash}}));
}

/// What became of the sources since.
void Gathering::add_changes(std::string const& ref, std::optional<json::object> const& sources) {
  static_cast<void>(put("lineage.stale", ref, {{"ref", ref}, {"limit", case_stale_max}, {"include", include_of()}}));
  if (!sources) return;
  auto const all = objects_in(*sources, "nodes");
  for (std::size_t i = 0; i < std::min(all.size(), case_changed_max); ++i) {
    json::object const& each = *all[i];
    std::string const source = cell(each, "ref");
    std::string const status = cell(each, "status");
    if (status == "deprecated" || status == "updated") put_newest("history.get", source, "events");
    if (!is_one_of(versioned_types, cell(each, "type")) || status == "active") continue;
    auto const found = put("versions.list", source, {{"ref", source}, {"limit", case_page}});
    if (!found || objects_in(*found, "versions").empty()) continue;
    add_records({cell(*objects_in(*found, "versions").back(), "ref")});
  }
}

/// Of what all badly rated answers rest on, what this case has; only a badly rated answer's page says it.
void Gathering::add_blame(std::string const& ref) {
  auto const place = answer_places_.find("feedback.list " + ref);
  json::value const& ratings = answers_[place->second].get_object().at("result");
  json::value const* const mean = ratings.is_object() ? ratings.get_object().if_contains("mean_score") : nullptr;
  if (mean == nullptr || !mean->is_number() || mean->to_number<double>() >= 0) return;
  auto found = ask_optional("impact.blame", {{"score_below", 0}, {"limit", 1000}, {"timeout_ms", 5000}});
  if (found) {
    json::array kept;
    for (auto const* const each : objects_in(*found, "nodes")) {
      if (find(cell(*each, "ref")) != nullptr) kept.emplace_back(*each);
    }
    (*found)["nodes"] = std::move(kept);
  }
  keep("impact.blame", {}, std::move(found));
}

CallResult<json::object> Gathering::finish(std::string const& made) {
  auto const info = call("server.info", {});
  auto const described = call("rpc.discover", {});
  if (!info) return info.error();
  if (!described) return described.error();
  json::array edges;
  for (auto const& edge : edges_) {
    auto const& ends = edge.get_object();
    if (find(cell(ends, "from")) != nullptr && find(cell(ends, "to")) != nullptr) edges.push_back(edge);
  }
  return json::object{{"form", case_form},
                      {"whence", member_of(*info, "version")},
                      {"tx", tx_},
                      {"made", made},
                      {"types", member_of(*described, "x-whence-types")},
                      {"cases", std::move(cases_)},
                      {"nodes", std::move(nodes_)},
                      {"edges", std::move(edges)},
                      {"answers", std::move(answers_)}};
}

}  // namespace

json::array refs_in_case(json::object const& data) {
  std::set<std::string> refs;
  auto const add = [&](json::object const& of, std::string_view list) {
    for (auto const* const node : objects_in(of, list)) {
      // A rating is given without its ref, one that is gone with it.
      auto const type = cell(*node, "$type$");
      refs.insert(type.empty() ? cell(*node, "ref") : type + ":" + cell(*node, "id"));
    }
  };
  add(data, "nodes");
  for (auto const* const answer : objects_in(data, "answers")) {
    auto const* const result = find_object(*answer, "result");
    if (result == nullptr) continue;
    if (cell(*answer, "method") == "feedback.list") add(*result, "records");
    for (auto const* const list : {"nodes", "sources", "answers", "versions"}) add(*result, list);
  }
  json::array out;
  for (auto const& ref : refs) {
    if (!ref.empty()) out.emplace_back(ref);
  }
  return out;
}

CallResult<json::object> gather_case(Caller& caller, std::vector<std::string> const& refs, json::object moment,
                                     std::string const& made) {
  Gathering gathering(caller, std::move(moment));
  for (auto const& ref : refs) gathering.add(ref);
  return gathering.finish(made);
}

}  // namespace whence::tools
