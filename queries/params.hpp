#pragma once
// What the read methods are asked: one struct per method, its members described once (params_fields.hpp) for parsing,
// errors, OpenRPC and the command line's flags.

#include "graph/snapshot/delta.hpp"
#include "graph/walks/walk.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/edges/edge_type.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/retrieval/records.hpp"
#include "schema/records/record_type.hpp"
#include "schema/records/ref.hpp"
#include "schema/base/time.hpp"
#include "schema/xml/parts.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace whence::queries {

using schema::NodeRef;
using schema::TxId;

/// A moment: a transaction id, or a time.
using AsOf = std::variant<TxId, schema::Time>;

enum class Include : std::uint8_t { record, status, edges };
enum class Form : std::uint8_t { nodes, edges, graph };

/// What an event of a subscription holds beside what happened to whom.
enum class EventPart : std::uint8_t { record, edges };

/// `between`: both ends included, either may be open.
struct TimeRange {
  std::optional<schema::Time> from = {};
  std::optional<schema::Time> to = {};
};

/// One operator of a `where`, with its operand(s) as JSON scalars in compact text.
struct Condition {
  enum class Op : std::uint8_t { eq, in, lt, lte, gt, gte, prefix };
  std::string field = {};
  Op op;
  std::vector<std::string> operands = {};  ///< compact JSON text; one, but for `in`
};

struct Order {
  std::string by = "id";
  bool desc = false;
};

struct NodeGetParams {
  std::optional<NodeRef> ref = {};
  std::optional<std::vector<NodeRef>> refs = {};
  std::vector<Include> include = {};
};

struct NodeFindParams {
  schema::RecordType type;
  std::vector<Condition> where = {};
  Order order;
  std::vector<Include> include = {};
};

struct NodeCountParams {
  schema::RecordType type;
  std::vector<Condition> where = {};
};

struct LineageParams {
  NodeRef ref;
  std::uint32_t depth = graph::depth_unbounded;
  std::optional<schema::EdgeTypeSet> edge_types = {};
  std::optional<schema::RecordTypeSet> node_types = {};
  std::optional<TimeRange> between = {};
  std::optional<double> min_weight = {};
  Form form = Form::nodes;
  std::vector<Include> include = {};
};

struct LineageGraphParams {
  NodeRef ref;
  std::uint32_t up = 2;
  std::uint32_t down = 2;
  std::vector<Include> include = {};
};

struct PathParams {
  NodeRef from;
  NodeRef to;
  graph::PathKind kind = graph::PathKind::strongest;
};

struct InfluenceParams {
  NodeRef ref;
  std::vector<Include> include = {};
};

struct ManifestParams {
  std::string response_id;  ///< bare or `Response:` ref
  std::optional<std::uint64_t> max_bytes = {};
};

struct LineageDiffParams {
  std::optional<NodeRef> a = {};
  std::optional<NodeRef> b = {};
  std::optional<NodeRef> ref = {};
  std::optional<AsOf> as_of_a = {};
  std::optional<AsOf> as_of_b = {};
  std::vector<Include> include = {};
};

struct ImpactParams {
  std::vector<NodeRef> refs = {};
  std::vector<Include> include = {};
};

struct BlameParams {
  std::optional<std::vector<NodeRef>> responses = {};
  std::optional<double> score_below = {};
};

struct VersionsListParams {
  NodeRef ref;
  std::vector<Include> include = {};
};

struct VersionsDiffParams {
  NodeRef a;
  NodeRef b;
};

struct HistoryParams {
  NodeRef ref;
};

struct FeedbackListParams {
  NodeRef ref;
};

struct AttachmentGetParams {
  std::string hash;  ///< bare or `XMLMessageAttachment:` ref
};

struct AttachmentListParams {
  std::optional<std::string> message_id = {};
  std::optional<std::string> topic_id = {};
  std::optional<schema::XmlFormat> format = {};
  bool orphans = false;
  bool count_only = false;
  bool total_size = false;  ///< changes nothing: the size is always told
};

struct TraceParams {
  NodeRef ref;
  std::vector<Include> include = {};
};

struct SummaryGetParams {
  std::string topic;
  std::optional<std::uint64_t> version = {};  ///< the latest where left out
};

struct TemplateActiveParams {
  std::string model_id;
};

struct TemplateListParams {
  std::optional<std::string> model_id = {};
};

struct DiscussionParams {
  std::string user_id;
  std::string discussion_id;
  std::optional<schema::Persona> persona = {};  ///< changes nothing: all personas see the same
};

/// A file a prompt ends with. It makes no node.
struct PromptFile {
  std::string name = {};
  std::string content = {};
};

struct DiscussionPromptParams {
  std::string user_id;
  std::string discussion_id;
  std::optional<schema::Persona> persona = {};  ///< changes nothing
  std::optional<std::vector<PromptFile>> files = {};
};

struct RagGetParams {
  std::string request_id;
};

struct RagRetrieveParams {
  std::vector<float> vector = {};
  std::optional<std::string> question = {};
  std::optional<schema::QueryFilters> filters = {};
  bool record = false;  ///< also records the retrieval: not the business of a read
};

/// Which events a subscription wants: all that is given must hold.
struct Match {
  std::optional<std::vector<schema::RecordType>> types = {};
  std::optional<std::vector<graph::EventOp>> ops = {};
  std::optional<std::vector<std::string>> topics = {};
  std::optional<std::vector<std::string>> agents = {};
  std::optional<std::vector<schema::EdgeType>> edge_types = {};
  std::optional<NodeRef> downstream_of = {};
  std::optional<NodeRef> upstream_of = {};
  std::optional<std::uint32_t> depth = {};  ///< edges from either ref; unbounded where left out

  friend auto operator<=>(Match const&, Match const&) = default;
};

}  // namespace whence::queries
