// Results and notifications in a short notation, one row for each; records from their field tables.
//
//   members   name:type or name?:type (may be absent), separated by spaces
//   type      one of the words below, the name of a schema, [type] a list, {members} an object, {*:type} an object with
//             any names, Name{members} a schema with more members, ~Type a record type without `$type$`;
//             type|type for either
//   words     integer, count (an integer of at least 0), number, share (0 to 1), text, time (RFC 3339), bool, true,
//             null, any, object

#include "net/rpc/answer_schemas.hpp"

#include "net/params/json_schema.hpp"
#include "net/rpc/method.hpp"
#include "schema/base/optional.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/records/records.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <set>
#include <string>
#include <type_traits>
#include <variant>

namespace whence::net {

namespace {

struct Members {
  std::string_view name;
  std::string_view members;
};

/// By method, in the order of the table of methods.
constexpr auto results = std::to_array<Members>({
    {"admin.backup", "path:text tx:count bytes:count"},
    {"admin.log", "epoch:text tx:count leaf:text last:count groups:text"},
    {"admin.restore", "tx:count"},
    {"admin.retention",
     "tx:count rules:{*:count} expired:count types:{*:count} kept:{*:count} oldest?:time refs:[Ref]"},
    {"admin.verify",
     "ok:bool tx:count checked:{entries:count records:count blobs:count edges:count} "
     "problems:[{where:text rule:text message:text}]"},
    {"attachment.get", "hash:text record:XMLMessageAttachment xml:text responseId?:text"},
    {"attachment.list",
     "records?:[XMLMessageAttachment{hash:text}|Gone] count?:count total_size?:count average_size?:number "
     "average_sizes?:{*:number} markup_bytes?:count xml_overhead?:number gone?:[Gone]"},
    {"discussion.abandon", "tx:count ref:Ref warnings?:[Warning]"},
    {"discussion.addResponse",
     "tx:count ref:Ref roundNumber:count turn:count complete:bool next:text|null warnings?:[Warning]"},
    {"discussion.answer", "tx:count ref:Ref roundNumber:count unchanged?:true warnings?:[Warning]"},
    {"discussion.context",
     "userId:text discussionId:text currentSummary:SummaryEntry|null rounds:[DiscussionRound] "
     "currentRound:count|null tokens:count refs:[Ref] gone?:[Gone] warnings?:[Warning]"},
    {"discussion.get",
     "ref:Ref userId:text discussionId:text topic?:text isResolved?:bool needsUserInput?:bool createdAt?:integer "
     "updatedAt?:integer rounds:count currentRound:count|null currentTurn?:count next:text|null tokenCount:count "
     "currentSummary:SummaryEntry|null paths:{json:text md:text}|null "
     "expired?:true purged?:true gone?:[Gone]"},
    {"discussion.open", "tx:count ref:Ref roundNumber:count next:text turn:count warnings?:[Warning]"},
    {"discussion.prompt", "prompt:text refs:[Ref] gone?:[Gone] tokens:count warnings?:[Warning]"},
    {"discussion.reconcile",
     "tx:count differences:[{path:text kind:text file?:any store?:any}] repaired:count kept?:[text]"},
    {"discussion.set", "tx:count ref:Ref unchanged?:true warnings?:[Warning]"},
    {"discussion.summarize",
     "tx:count ref:Ref roundNumber:count replacesRounds:[count] tokenCountBefore?:count tokenCountAfter?:count "
     "warnings?:[Warning]"},
    {"discussion.tokens",
     "total:count parts:{responses:count system:count overhead:count summary:count} rounds:count gone?:[Gone]"},
    {"discussion.write", "tx:count json:text md:text"},
    {"export.cancel", "job:text state:text"},
    {"export.start", "job:text tx:count"},
    {"export.status",
     "job:text state:text tx:count done:count total:count files:[File{url:text}] manifest?:ExportManifest "
     "error?:Error"},
    {"feedback.list",
     "records?:[FeedbackRecord|Gone] aggregate_score?:number mean_score?:number|null feedback_count?:count "
     "status?:text"},
    {"history.get",
     "events?:[{tx:count at:time op:text who?:text actor?:text reason?:text revision?:count status?:text score?:number "
     "count?:count}]"},
    {"hold.clear", "tx:count ref:Ref unchanged?:true warnings?:[Warning]"},
    {"hold.list", "holds?:[Hold|Gone]"},
    {"hold.set", "tx:count ref:Ref unchanged?:true warnings?:[Warning]"},
    {"impact.analyze",
     "nodes?:[Node{depth:count share:share dominator?:Ref|null}] "
     "counts?:{by_type?:{*:count} by_depth?:{*:count} *:any} cut_edges?:[Edge] cut_edges_total?:count"},
    {"impact.blame",
     "nodes?:[Node{rated:count bad:count rate:share others_rate?:share lift?:number lower?:number share:share "
     "same_answers?:count verdict:text says:text}] "
     "names?:[{name:text rated:count bad:count rate:share others_rate?:share lift?:number lower?:number share:share "
     "same_answers?:count verdict:text says:text}] "
     "all_rated?:count all_bad?:count average?:share depth?:count cut_edges?:[Edge] cut_edges_total?:count"},
    {"impact.replay_plan",
     "calls?:[Node{depth:count stage:count effect:text lost:share input_tokens?:count output_tokens?:count "
     "cost?:number "
     "inputs:[{ref:Ref kind:text state:text newer?:Ref}] more_inputs?:count}] "
     "counts?:{calls:count stages:count with_input_tokens:count input_tokens?:number with_output_tokens:count "
     "output_tokens?:number with_cost:count cost?:number} cut_edges?:[Edge] cut_edges_total?:count"},
    {"impact.without",
     "answers?:[Node{depth:count effect:text lost:share remains:share sets?:[[Ref]] sets_complete?:bool}] "
     "fallen?:[Node{depth:count}] alternatives?:[Node{supports:count share:share}] "
     "counts?:{lost:count weakened:count untouched:count fallen:count alternatives?:count} "
     "alternatives_complete?:bool cut_edges?:[Edge] cut_edges_total?:count"},
    {"lineage.ancestors",
     "nodes?:[Node{depth:count weight:number}] edges?:[Edge] dangling?:[Ref] cut_edges?:[Edge] cut_edges_total?:count"},
    {"lineage.descendants",
     "nodes?:[Node{depth:count weight:number columns?:[text]}] edges?:[Edge] dangling?:[Ref] cut_edges?:[Edge] "
     "cut_edges_total?:count"},
    {"lineage.diff",
     "added?:[Node{depth:count weight:number}] removed?:[Node{depth:count weight:number}] "
     "reweighted?:[{ref:Ref before:number after:number}] "
     "versions?:[{a:Ref b:Ref words?:{same:bool coarse?:true parts:[{op:text text:text}]}}] "
     "moved?:[{ref:Ref place_a:count place_b:count}] common?:[{ref:Ref before:number after:number}] "
     "text?:{same:bool coarse?:true parts:[{op:text text:text}]} gone?:[Gone] cut_edges?:[Edge] "
     "cut_edges_total?:count"},
    {"lineage.graph",
     "nodes?:[Node{depth:count weight:number}] edges?:[Edge] frontier?:[{ref:Ref causes:count effects:count}] "
     "reduced_edges?:count cut_edges?:[Edge] cut_edges_total?:count"},
    {"lineage.influence", "nodes?:[Node{depth:count share:share}] cut_edges?:[Edge] cut_edges_total?:count"},
    {"lineage.manifest", "manifest:Manifest omitted:[text] manifest_bytes:count"},
    {"lineage.path",
     "paths?:[{weight:number refs:[Ref] edges:[Edge]}] dominators?:[Ref] cut_edges?:[Edge] cut_edges_total?:count"},
    {"lineage.stale",
     "sources?:[Node{reasons:[text] newer?:Ref}] answers?:[Node] "
     "citations?:[{number:count document_name:text chunk?:Ref then?:{match:text altered?:share} "
     "now?:{match:text altered?:share}}] cut_edges?:[Edge] cut_edges_total?:count"},
    {"log.bundle",
     "format:text about:Ref checkpoint:text events:[{index:count line:text proof:[text] salt?:text record?:text}]"},
    {"log.checkpoint",
     "checkpoint:text size:count key:text earlier?:{key:text until:time} "
     "cosigned?:[{checkpoint:text size:count witnesses:[{key:text time:time}]}]"},
    {"log.consistency", "from:count to:count proof:[text]"},
    {"log.cosign", "size:count witnesses:[{key:text time:time}]"},
    {"log.proof", "index:count line:text proof:text"},
    {"log.rotate", "tx:count ref:Ref key:text until:time"},
    {"node.activity", "period:text from?:time to?:time lanes:[Lane{lane:text}] other?:Lane{lanes:count}"},
    {"node.count", "count:count"},
    {"node.find", "nodes?:[Node]"},
    {"node.get", "nodes?:[Node]"},
    {"node.neighbors",
     "nodes?:[Node{edge_types:[EdgeType] weight?:number}] groups?:[{value:any count:count}] total?:count other?:count"},
    {"person.certificate",
     "format:text about:Ref checkpoint:text before:{size:count root:text} extension:[text] "
     "events:[{index:count line:text proof:[text] salt?:text record?:text}]"},
    {"person.erase",
     "tx:count proposed?:Ref confirm_until?:time erasure?:Ref purged:[Ref] shared:[Ref] backups?:[{path:text tx:count "
     "types:{*:count} "
     "not_looked_at?:true}] "
     "list?:[{ref:Ref tx:count at:time purged_at:time}] "
     "redacted:[Ref] blobs:count not_reached:[text] unchanged?:true warnings?:[Warning]"},
    {"person.find", "nodes?:[Node] shared?:[Node] counts?:{*:count} gone?:count deleted?:count held?:{*:count}"},
    {"purge.confirm",
     "tx:count erasure?:Ref purged:[Ref] shared:[Ref] backups?:[{path:text tx:count types:{*:count} "
     "not_looked_at?:true}] "
     "list?:[{ref:Ref tx:count at:time purged_at:time}] "
     "redacted:[Ref] blobs:count not_reached:[text] unchanged?:true warnings?:[Warning]"},
    {"purge.proposals",
     "tx:count proposals:[{ref:Ref state:text person?:text refs?:[Ref] cascade?:true reason?:text proposed_by:text "
     "proposed_at:time confirm_until:time confirmed_by?:text withdrawn_by?:text purged?:count types?:{*:count} "
     "refused?:{rule?:text message:text}}] total:count"},
    {"purge.withdraw", "tx:count ref:Ref warnings?:[Warning]"},
    {"query", "columns?:[text] rows?:[any] plan?:text warnings?:[Warning]"},
    {"rag.answer",
     "tx:count ref:Ref answer:AnswerText withheld?:{mean:number best:number} unchanged?:true warnings?:[Warning]"},
    {"rag.get",
     "request_id:text query:~Query|GonePart embedding:~EmbeddingVector|GonePart|null retrieved_chunks:[Chunk] "
     "prompt_context:{request_id:text expired?:true purged?:true question?:text retrieved_chunks:[Chunk] "
     "system_prompt?:text formatted_context?:text attributes?:object}|null answer:AnswerText|GonePart|null"},
    {"rag.retrieve", "chunks:[Chunk] request_id?:text"},
    {"records.delete", "tx:count deleted:[Ref] orphaned:[Ref] dangling:[Ref] warnings?:[Warning]"},
    {"records.purge",
     "tx:count proposed?:Ref confirm_until?:time purged:[Ref] "
     "list?:[{ref:Ref tx:count at:time purged_at:time}] redacted:[Ref] blobs:count not_reached:[text] "
     "unchanged?:true "
     "warnings?:[Warning]"},
    {"records.write", "tx:count refs:[Ref] warnings:[Warning] unchanged?:true"},
    {"rpc.discover",
     "openrpc:text info:object methods:[object] components:object x-whence-types:object x-notifications:[object] "
     "*:any"},
    {"search",
     "nodes?:[Node{score?:number snippets:[{path:text parts:[{text:text match?:true}]}]}] total?:count "
     "total_is_at_least?:true suggestions?:[text]"},
    {"server.info",
     "version:text build:text nodes:{*:count} edges:{*:count} store_bytes:count uptime_s:count time:time epoch:text "
     "tx:count namespace?:text not_understood?:[{kind:text spans:count}] search?:{tx:count complete:bool bytes:count "
     "failure?:text} log?:{connected:bool "
     "position:count lag:count last_contact_s:number "
     "servers:[{name:text leader:bool current:bool lag:count}] "
     "nodes:[{name:text self:bool bolt?:text tree?:{size:count root:text} position:count last_seen_s:number}]}"},
    {"session.hello",
     "server:text version:text protocol:count tx:count epoch:text "
     "limits:{message_bytes:count inflight:count subscriptions:count page:count} capabilities:[text]"},
    {"subscribe", "sub:text from_tx:count"},
    {"summary.get", "summary:Summary"},
    {"template.active", "template:SystemPromptTemplate"},
    {"template.list", "templates?:[SystemPromptTemplate|Gone]"},
    {"trace", "nodes?:[Node] edges?:[Edge] dangling?:[Ref] cut_edges?:[Edge] cut_edges_total?:count"},
    {"unit.update", "tx:count ref:Ref version:count warnings?:[Warning]"},
    {"unsubscribe", "sub:text tx:count"},
    {"versions.diff", "changes:[{path:text before:any after:any}] gone?:[Gone]"},
    {"versions.list", "versions?:[Node{version?:integer dangling?:true}]"},
    {"xml.build", "xml:text"},
    {"xml.context",
     "context:{topicId:text messageCount:count activeSubjects:[text] recentKeywords:[text]} gone?:[Gone]"},
    {"xml.instructions", "version:count text:text"},
    {"xml.validate", "valid:true format:text parts:object warnings:[Warning]"},
});

/// What every read's result begins with. The lists of a read with pages are absent where it was streamed.
constexpr std::string_view of_reads = "tx:count complete:bool reason?:text";
constexpr std::string_view of_pages = "cursor?:text";

constexpr auto forms = std::to_array<Members>({
    {"Node",
     "ref:Ref type:RecordType id:text record?:Record expired?:true purged?:true status?:text "
     "edges?:[Edge] edges_total?:count"},
    {"Edge",
     "from:Ref to:Ref type:EdgeType tx:count basis?:text role?:text weight?:number version?:integer timestamp?:time "
     "score?:number "
     "confidence?:number similarity?:number rank?:integer page_number?:integer section?:text excerpt?:text "
     "attributes?:object cycle_cut?:true"},
    {"Event",
     "tx:count prev:count at:time op:text ref:Ref record?:Record status?:text score?:number edges?:[Edge] "
     "edge_order?:[count] time?:time "
     "expired?:true purged?:true reason?:text put?:count snapshot?:true entered?:true newer?:Ref"},
    {"Warning", "index?:count rule:text path:text message:text line?:count column?:count"},
    {"GonePart", "request_id:text expired:true purged?:true"},
    {"Gone", "ref:Ref type:RecordType id:text expired:true purged?:true"},
    {"Chunk",
     "chunk_id:text content?:text "
     "metadata?:{document_name:text page_number?:integer section?:text chunk_index:count} expired?:true purged?:true "
     "similarity_score?:number rank?:count"},
    {"AnswerText",
     "answer:text|null citations:[{document_name:text excerpt?:text purged?:true page_number?:integer section?:text "
     "chunk_id?:text "
     "flags?:[text] "
     "attributes?:object}] confidence?:number message:text|null request_id:text processing_time_ms?:count "
     "flags?:[text] "
     "attributes?:object"},
    {"Manifest",
     "response_id:text timestamp:time expired?:true purged?:true agent?:text model?:text token_count?:count|null "
     "context_tree:[{id:text type?:text source?:text weight:number embedding_id?:text|null summary?:text|null "
     "deleted?:true expired?:true purged?:true}] provenance_tree:{root:text edges?:[{from:text to:text "
     "weight:number}]}"},
    {"File", "name:text bytes:count sha256:text"},
    {"Lane", "total:count counts:[{start:time count:count}]"},
    {"ExportManifest",
     "whence:text tx:count at:time epoch:text format:text select:any as_of:any "
     "counts:{nodes:{*:count} edges:{*:count}} reduced_edges?:count files:[File] losses:[{kind:text count:count}] "
     "closed:bool import?:text"},
    {"Error", "code:integer message:text data?:object"},
});

struct Notification {
  std::string_view name;
  std::string_view from;  ///< who sends it
  std::string_view doc;
  std::string_view params;
};

constexpr auto notifications = std::to_array<Notification>({
    {"$/cancel", "client", "Stops the request `id`, which then answers `cancelled`.", "id:text|integer"},
    {"$/credit", "client", "Lets the server send n more notifications of a stream or events of a subscription.",
     "n:count id?:text|integer sub?:text"},
    {"$/partial", "server", "Items of the streamed request `id`, in order.",
     "id:text|integer seq:count items:[object]"},
    {"$/progress", "server", "How far the request or export `id` is.",
     "id:text|integer done:count total:count message:text"},
    {"event", "server", "Changes that match a subscription: whole transactions, in order.", "sub:text events:[Event]"},
    {"$/caught_up", "server", "Everything that matches up to tx was sent.", "sub:text tx:count"},
    {"$/heartbeat", "server", "Everything that matches any subscription of the connection up to tx was sent.",
     "tx:count"},
    {"$/lagged", "server", "The client reads too slowly: events now come from the log.",
     "sub:text at_tx:count head_tx:count"},
    {"$/ended", "server", "The server ends a subscription; tx is where to resume.", "sub:text reason:text tx:count"},
});

void write_word(Writer& out, std::string_view word) {
  if (word == "any") return;
  if (word == "null" || word == "object" || word == "integer" || word == "number") {
    out.member("type", word);
  } else if (word == "text") {
    out.member("type", "string");
  } else if (word == "time") {
    out.member("type", "string").member("format", "date-time");
  } else if (word == "bool") {
    out.member("type", "boolean");
  } else if (word == "true") {
    out.member("const", true);
  } else if (word == "count") {
    out.member("type", "integer").member("minimum", 0);
  } else if (word == "share") {
    out.member("type", "number").member("minimum", 0).member("maximum", 1);
  } else {
    out.member("$ref", "#/components/schemas/" + std::string(word));
  }
}

template <class Visit, class... Records>
void for_each_record(std::variant<Records...> const*, Visit const& visit) {
  (visit(static_cast<Records const*>(nullptr)), ...);
}

template <class Visit>
void for_each_record(Visit const& visit) {
  for_each_record(static_cast<schema::Record const*>(nullptr), visit);
}

/// A record type's members and which are required, with or without its `$type$`.
void write_record_members(Writer& out, std::string_view type, bool has_type) {
  for_each_record([&]<class T>(T const*) {
    if (schema::name_of(T::record_type) != type) return;
    out.member("type", "object").key("properties").begin_object();
    if (has_type) out.key("$type$").begin_object().member("const", type).end_object();
    write_properties<T>(out);
    out.end_object().key("required").begin_array();
    if (has_type) out.value("$type$");
    // A member that its type lets be absent may be: an open round lacks what is still to come.
    schema::for_each_field<T>([&](auto const& field) {
      using Member = typename std::remove_cvref_t<decltype(field)>::member_type;
      constexpr bool may_be_absent = !std::is_same_v<schema::value_type_t<Member>, Member>;
      if (!may_be_absent && field.presence == schema::Presence::required) out.value(field.name);
    });
    out.end_array();
  });
}

/// Reads the notation and writes what it says. The texts are this file's own, so there is nothing to refuse.
class Notation {
 public:
  Notation(Writer& out, std::string_view text) : out_(out), rest_(text) {}

  /// The members of an object's schema into the open object.
  void write_object() {
    out_.member("type", "object").key("properties").begin_object();
    std::vector<std::string_view> required;
    std::optional<std::string_view> others;
    while (!rest_.empty() && rest_.front() != '}') {
      auto const name = take_until(":?");
      bool const is_optional = take('?');
      expect(':');
      if (name == "*") {
        others = skip_type();
      } else {
        out_.key(name).begin_object();
        write_type();
        out_.end_object();
        if (!is_optional) required.push_back(name);
      }
      while (take(' ')) continue;
    }
    out_.end_object();
    if (!required.empty()) {
      out_.key("required").begin_array();
      for (auto const name : required) out_.value(name);
      out_.end_array();
    }
    if (!others) return;
    out_.key("additionalProperties").begin_object();
    Notation(out_, *others).write_type();
    out_.end_object();
  }

  /// The members of a type's schema into the open object.
  void write_type() {
    auto const all = skip_type();
    auto const bar = end_of_one(all);
    if (bar == all.size()) return Notation(out_, all).write_one();
    out_.key("anyOf").begin_array();
    for (auto rest = all; !rest.empty();) {
      auto const end = end_of_one(rest);
      out_.begin_object();
      Notation(out_, rest.substr(0, end)).write_one();
      out_.end_object();
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    out_.end_array();
  }

 private:
  void write_one() {
    if (take('[')) {
      out_.member("type", "array").key("items").begin_object();
      write_type();
      out_.end_object();
      return expect(']');
    }
    if (take('{')) {
      write_object();
      return expect('}');
    }
    if (take('~')) return write_record_members(out_, rest_, false);
    auto const word = take_until("{");
    if (!take('{')) return write_word(out_, word);
    out_.key("allOf").begin_array().begin_object();
    write_word(out_, word);
    out_.end_object().begin_object();
    write_object();
    out_.end_object().end_array();
    expect('}');
  }

  /// The length of the first of several types with bars between them.
  static std::size_t end_of_one(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '{' || text[i] == '[') ++depth;
      if (text[i] == '}' || text[i] == ']') --depth;
      if (text[i] == '|' && depth == 0) return i;
    }
    return text.size();
  }

  /// The text of a type, up to a space or the bracket that closes what it is in.
  std::string_view skip_type() {
    int depth = 0;
    std::size_t end = 0;
    for (; end < rest_.size(); ++end) {
      char const c = rest_[end];
      if (depth == 0 && (c == ' ' || c == '}' || c == ']')) break;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
    }
    auto const type = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return type;
  }

  std::string_view take_until(std::string_view ends) {
    auto const end = std::min(rest_.find_first_of(ends), rest_.size());
    auto const taken = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return taken;
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!take(c)) std::abort();
  }

  Writer& out_;
  std::string_view rest_;
};

void write_names_of(Writer& out, std::string_view name, std::set<std::string_view> const& names) {
  out.key(name).begin_object().member("type", "string").key("enum").begin_array();
  for (auto const each : names) out.value(each);
  out.end_array().end_object();
}

void write_records(Writer& out) {
  out.key("Record").begin_object().member("description", "Any record, by its `$type$`.").key("oneOf").begin_array();
  for (auto const& row : schema::record_types()) {
    out.begin_object();
    write_word(out, row.name);
    out.end_object();
  }
  out.end_array().end_object();
  for (auto const& row : schema::record_types()) {
    out.key(row.name).begin_object();
    write_record_members(out, row.name, true);
    out.end_object();
  }
}

}  // namespace

void write_result_schema(Writer& out, Method const& method) {
  auto const row = std::ranges::find(results, method.name, &Members::name);
  if (row == results.end()) std::abort();
  std::string members;
  if (method.kind == Kind::read) {
    members.append(of_reads).push_back(' ');
    if (has_pages(method.shape)) members.append(of_pages).push_back(' ');
  }
  members.append(row->members);
  bool const has_counts = row->members.find("counts?:") != std::string_view::npos;
  if (method.kind == Kind::read && has_pages(method.shape) && !has_counts) members.append(" counts?:{*:count}");
  Notation(out, members).write_object();
}

void write_schemas(Writer& out) {
  out.key("schemas").begin_object();
  out.key("Ref").begin_object().member("type", "string").member("description", "Type:id").end_object();
  std::set<std::string_view> types;
  for (auto const& row : schema::record_types()) {
    if (row.is_node) types.insert(row.name);
  }
  write_names_of(out, "RecordType", types);
  std::set<std::string_view> edges;  // a type has a row for each pair of ends
  for (auto const& row : schema::edge_rules()) edges.insert(schema::name_of(row.type));
  write_names_of(out, "EdgeType", edges);
  for (auto const& form : forms) {
    out.key(form.name).begin_object();
    Notation(out, form.members).write_object();
    out.end_object();
  }
  write_records(out);
  out.end_object();
}

void write_notifications(Writer& out) {
  out.key("x-notifications").begin_array();
  for (auto const& each : notifications) {
    out.begin_object().member("name", each.name).member("from", each.from).member("summary", each.doc);
    out.key("params").begin_object();
    Notation(out, each.params).write_object();
    out.end_object().end_object();
  }
  out.end_array();
}

}  // namespace whence::net
