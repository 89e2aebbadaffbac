// The table of reading verbs.

#include "tools/cli/verbs/read_verbs.hpp"

#include "schema/json/members.hpp"
#include "schema/types/ref.hpp"
#include "tools/cli/output/labels.hpp"
#include "tools/cli/output/trees.hpp"
#include "tools/cli/output/views.hpp"

#include <algorithm>
#include <set>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

/// `get` always sends `refs`, also for one ref.
std::vector<ParamFlag> get_flags() {
  std::vector<ParamFlag> flags = flags_of<queries::NodeGetParams>();
  std::erase_if(flags, [](ParamFlag const& flag) { return flag.name == "ref"; });
  for (ParamFlag& flag : flags) flag.is_required = flag.name == "refs";
  return flags;
}

std::vector<ParamFlag> diff_flags() {
  std::vector<ParamFlag> flags = flags_of<queries::LineageDiffParams>();
  flags.push_back(
      {"ancestry", FlagKind::boolean, false, "Compares what two context units were made from, not their members."});
  return flags;
}

std::vector<ParamFlag> no_flags() {
  return {};
}

std::vector<ParamFlag> why_flags() {
  return {{"ref", FlagKind::text, true, "The node that is explained."},
          {"depth", FlagKind::number, false, "How many steps away from it at most, 20 where not given."},
          {"effects", FlagKind::boolean, false, "What was made from it, instead of what it was made from."}};
}

/// One direction of the neighbourhood. The tree needs what the nodes are; programs get the same.
Result<void> settle_why(Request& request) {
  boost::json::object& params = request.params;
  constexpr int depth_default = 20;
  boost::json::value const* const given = params.if_contains("depth");
  boost::json::value const depth = given != nullptr ? *given : boost::json::value(depth_default);
  bool const is_downwards = params.erase("effects") > 0;
  params.erase("depth");
  params["up"] = is_downwards ? boost::json::value(0) : depth;
  params["down"] = is_downwards ? depth : boost::json::value(0);
  params["include"] = boost::json::array{"record", "status"};
  return {};
}

bool is_unit(boost::json::value const& text) {
  Result<schema::NodeRef> const ref = schema::parse_ref(std::string_view{text.get_string()});
  return ref && ref->type == schema::RecordType::context_unit;
}

/// Two context units are compared by their members, two other nodes by their ancestry; a single ref is compared with
/// itself at two moments.
Result<void> settle_diff(Request& request) {
  boost::json::object& params = request.params;
  bool const is_ancestry = params.erase("ancestry") > 0;
  boost::json::value const* const a = params.if_contains("a");
  boost::json::value const* const b = params.if_contains("b");
  if (a != nullptr && b == nullptr && params.contains("as_of_a")) {
    params["ref"] = boost::json::value(*a);
    params.erase("a");
    return {};
  }
  if (is_ancestry || a == nullptr || b == nullptr || !is_unit(*a) || !is_unit(*b)) return {};
  for (std::string_view const name : {"include", "basis"}) {
    if (!params.contains(name)) continue;
    std::string const allowed =
        name == "include" ? "record, status and edges" : "given, id, text, place, instruction and question";
    return Error{.code = Errc::invalid_params,
                 .message = "--" + std::string{name} +
                            ": two units are compared by their members, which have none; with --ancestry it takes " +
                            allowed};
  }
  request.method = "versions.diff";
  return {};
}

/// Where nothing leads from one node to another, the way back is asked for.
std::string turn_round(boost::json::object const& result, boost::json::object& params) {
  boost::json::value const* const paths = result.if_contains("paths");
  boost::json::value* const from = params.if_contains("from");
  boost::json::value* const to = params.if_contains("to");
  if (paths == nullptr || !paths->is_array() || !paths->get_array().empty() || result.contains("cut_edges")) return {};
  if (from == nullptr || to == nullptr || !from->is_string() || !to->is_string()) return {};
  std::string names = "nothing leads from " + std::string{from->get_string()} + " to " + std::string{to->get_string()} +
                      "; from the second to the first this does:";
  from->swap(*to);
  return names;
}

/// Nodes of paths that get a label; `node.get` takes no more.
constexpr std::size_t labelled_max = 1'000;

/// The nodes of the paths, each once, with its label: `lineage.path` has their refs alone.
void add_path_labels(Caller& caller, boost::json::object& result) {
  boost::json::array refs;
  std::set<std::string> known;
  for (boost::json::value const& path : schema::json::list_at(result, "paths")) {
    if (!path.is_object()) continue;
    for (boost::json::value const& ref : schema::json::list_at(path.get_object(), "refs")) {
      if (!ref.is_string() || refs.size() == labelled_max) continue;
      if (known.insert(std::string{ref.get_string()}).second) refs.push_back(ref);
    }
  }
  if (refs.empty()) return;
  boost::json::object params{{"refs", std::move(refs)}, {"include", boost::json::array{"record"}}};
  if (boost::json::value const* const tx = result.if_contains("tx")) params["as_of"] = *tx;
  CallResult<boost::json::value> nodes = caller.call("node.get", params);
  if (!nodes || !nodes->is_object()) return;  // the paths are the answer, and are shown without
  replace_records_by_labels(nodes->get_object());
  if (boost::json::value* const list = nodes->get_object().if_contains("nodes")) result["nodes"] = std::move(*list);
}

}  // namespace

std::vector<ReadVerb> const& read_verbs() {
  using namespace queries;
  // clang-format off
  static std::vector<ReadVerb> const verbs = {
      {"get", "node.get", "Shows nodes",
       get_flags, {"refs"}, "record,status", show_records, false, nullptr, nullptr, 0, false, true},
      {"find", "node.find", "Finds nodes of a type by their fields",
       flags_of<NodeFindParams>, {"type"}, "record,status", show_found},
      {"search", "search", "Finds records by the words of their texts",
       flags_of<SearchParams>, {"text"}, "record", show_matches, false, nullptr, nullptr, 20, true},
      {"count", "node.count", "Counts nodes of a type by their fields",
       flags_of<NodeCountParams>, {"type"}, "", show_count},
      {"why", "lineage.graph", "Draws the tree of what a node was made from, or of its effects",
       why_flags, {"ref"}, "", nullptr, true, settle_why, show_why, 1'000},
      {"ancestors", "lineage.ancestors", "Lists what a node was made from",
       flags_of<LineageParams>, {"ref"}, "record", show_lineage, false, nullptr, nullptr, 0, true},
      {"descendants", "lineage.descendants", "Lists what was made from a node",
       flags_of<LineageParams>, {"ref"}, "record", show_lineage, false, nullptr, nullptr, 0, true},
      {"graph", "lineage.graph", "Shows the neighbourhood of a node, causes and effects",
       flags_of<LineageGraphParams>, {"ref"}, "record", show_graph, true, nullptr, nullptr, 0, true},
      {"path", "lineage.path", "Lists paths of influence between two nodes",
       flags_of<PathParams>, {"from", "to"}, "", show_paths, false, nullptr, nullptr, 0, false, false, add_path_labels, turn_round},
      {"influence", "lineage.influence", "Lists the ancestors of a node by their share in it",
       flags_of<InfluenceParams>, {"ref"}, "record", show_influence, false, nullptr, nullptr, 0, true},
      {"impact", "impact.analyze", "Lists all responses and answers that nodes affected",
       flags_of<ImpactParams>, {"refs"}, "record", show_impact, false, nullptr, nullptr, 0, true},
      {"blame", "impact.blame", "Lists sources, tools or models by how much worse answers are that rest on them",
       flags_of<BlameParams>, {"responses"}, "record,status", show_blame},
      {"without", "impact.without", "Lists what answers would lose if nodes had not been there",
       flags_of<WithoutParams>, {"refs"}, "record", show_without, false, nullptr, nullptr, 0, true},
      {"stale", "lineage.stale", "Lists what changed since, of an answer or of all, or the answers of a source",
       flags_of<StaleParams>, {"ref"}, "record", show_stale, false, nullptr, nullptr, 0, true},
      {"versions", "versions.list", "Lists all versions of a node, first to last",
       flags_of<VersionsListParams>, {"ref"}, "record,status", show_versions},
      {"diff", "lineage.diff", "Compares two versions, two ancestries, or two moments",
       diff_flags, {"a", "b"}, "record", show_diff, false, settle_diff, nullptr, 0, true},
      {"history", "history.get", "Lists the changes of a node",
       flags_of<HistoryParams>, {"ref"}, "", show_history},
      {"feedback", "feedback.list", "Lists the feedback on a response or an answer, or that reached a source",
       flags_of<FeedbackListParams>, {"ref"}, "", show_feedback},
      {"manifest", "lineage.manifest", "Prints the lineage manifest of a response",
       flags_of<ManifestParams>, {"response_id"}, "", show_manifest},
      {"trace", "trace", "Traces a keyword, subject or summary back to the context units",
       flags_of<TraceParams>, {"ref"}, "record,status", nullptr, false, nullptr, show_trace},
      {"context", "discussion.context", "Prints the context of a discussion as a model receives it",
       flags_of<DiscussionParams>, {"userId", "discussionId"}, "", show_context},
      {"prompt", "discussion.prompt", "Prints the context of a discussion as the text of a prompt",
       flags_of<DiscussionParams>, {"userId", "discussionId"}, "", show_prompt},
      {"tokens", "discussion.tokens", "Estimates the number of tokens of that text",
       flags_of<DiscussionParams>, {"userId", "discussionId"}, "", show_tokens},
      {"answer", "rag.get", "Prints the answer to a request and its sources",
       flags_of<RagGetParams>, {"request_id"}, "", show_answer},
      {"stats", "server.info", "Shows counts, sizes and versions",
       no_flags, {}, "", show_stats},
  };
  // clang-format on
  return verbs;
}

}  // namespace whence::tools
