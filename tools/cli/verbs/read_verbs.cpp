// The table of reading verbs.

#include "tools/cli/verbs/read_verbs.hpp"

#include "schema/records/ref.hpp"
#include "tools/cli/output/views.hpp"

#include <algorithm>

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

bool is_unit(boost::json::value const& text) {
  Result<schema::NodeRef> const ref = schema::parse_ref(std::string_view{text.get_string()});
  return ref && ref->type == schema::RecordType::context_unit;
}

/// Two context units are compared by their members, two other nodes by their ancestry; a single ref is compared with
/// itself at two moments.
void settle_diff(Request& request) {
  boost::json::object& params = request.params;
  bool const is_ancestry = params.erase("ancestry") > 0;
  boost::json::value const* const a = params.if_contains("a");
  boost::json::value const* const b = params.if_contains("b");
  if (a != nullptr && b == nullptr && params.contains("as_of_a")) {
    params["ref"] = boost::json::value(*a);
    params.erase("a");
    return;
  }
  if (!is_ancestry && a != nullptr && b != nullptr && is_unit(*a) && is_unit(*b)) request.method = "versions.diff";
}

/// People read shares; `--order` asks for another order, and a cursor continues whichever was asked for.
void settle_order(Request& request) {
  if (!request.params.contains("cursor")) request.params.emplace("order", "share");
}

}  // namespace

std::vector<ReadVerb> const& read_verbs() {
  using namespace queries;
  // clang-format off
  static std::vector<ReadVerb> const verbs = {
      {"get", "node.get", "Shows nodes",
       get_flags, {"refs"}, "record,status", show_records},
      {"find", "node.find", "Finds nodes of a type by their fields",
       flags_of<NodeFindParams>, {"type"}, "record,status", show_found},
      {"count", "node.count", "Counts nodes of a type by their fields",
       flags_of<NodeCountParams>, {"type"}, "", show_count},
      {"ancestors", "lineage.ancestors", "Lists what a node was made from",
       flags_of<LineageParams>, {"ref"}, "", show_lineage},
      {"descendants", "lineage.descendants", "Lists what was made from a node",
       flags_of<LineageParams>, {"ref"}, "", show_lineage},
      {"graph", "lineage.graph", "Shows the neighbourhood of a node, causes and effects",
       flags_of<LineageGraphParams>, {"ref"}, "", show_graph, true},
      {"path", "lineage.path", "Lists paths of influence between two nodes",
       flags_of<PathParams>, {"from", "to"}, "", show_paths},
      {"influence", "lineage.influence", "Lists the ancestors of a node by their share in it",
       flags_of<InfluenceParams>, {"ref"}, "", show_influence, false, settle_order},
      {"impact", "impact.analyze", "Lists all responses and answers that nodes affected",
       flags_of<ImpactParams>, {"refs"}, "", show_impact, false, settle_order},
      {"blame", "impact.blame", "Lists units, chunks and documents by their share in bad ratings",
       flags_of<BlameParams>, {"responses"}, "record,status", show_blame, false, settle_order},
      {"versions", "versions.list", "Lists all versions of a node, first to last",
       flags_of<VersionsListParams>, {"ref"}, "record,status", show_versions},
      {"diff", "lineage.diff", "Compares two versions, two ancestries, or two moments",
       diff_flags, {"a", "b"}, "", show_diff, false, settle_diff},
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
