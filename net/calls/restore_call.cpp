// From lines to the engine's history, and the comparison of its events with those that the engine derives.

#include "net/calls/restore_call.hpp"

#include "net/calls/elements.hpp"
#include "net/params/params.hpp"
#include "queries/live/events.hpp"
#include "queries/render/event_texts.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "schema/wire/codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace whence::net {
namespace {

namespace json = boost::json;
using engine::history_error;
using engine::RestoredEdge;
using engine::RestoredEvent;
using engine::RestoredTransaction;

constexpr std::size_t shown_bytes_max = 1000;  ///< of what a line should have been

/// Members of one line, with its number for errors.
class Line {
 public:
  Line(json::object const& members, std::uint64_t number) : members_(members), number_(number) {}

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] json::value const* find(std::string_view name) const { return members_.if_contains(name); }

  [[nodiscard]] Result<std::string_view> text(std::string_view name) const {
    auto const* const value = find(name);
    auto const* const text = value == nullptr ? nullptr : value->if_string();
    if (text == nullptr) return error("needs a text in \"" + std::string(name) + "\"");
    return std::string_view(*text);
  }

  [[nodiscard]] Result<double> number_in(std::string_view name) const {
    auto const* const value = find(name);
    if (value == nullptr || !value->is_number()) return error("needs a number in \"" + std::string(name) + "\"");
    return value->to_number<double>();
  }

  [[nodiscard]] Error error(std::string message) const { return history_error(number_, std::move(message)); }

 private:
  json::object const& members_;
  std::uint64_t number_;
};

Result<schema::TxId> tx_in(Line const& line, std::string_view name) {
  auto const tx = line.number_in(name);
  if (!tx) return tx.error();
  if (*tx < 1 || *tx > static_cast<double>(schema::limits::integer_max) || *tx != std::floor(*tx)) {
    return line.error("holds no transaction id in \"" + std::string(name) + "\"");
  }
  return schema::TxId{static_cast<std::uint64_t>(*tx)};
}

Result<schema::NodeRef> ref_in(Line const& line, std::string_view name) {
  auto const text = line.text(name);
  if (!text) return text.error();
  auto ref = schema::parse_ref(*text);
  if (!ref) return line.error("names no node in \"" + std::string(name) + "\"");
  return ref;
}

/// The number an edge of its type carries, where it does.
Result<void> read_value(Line const& line, RestoredEdge& edge) {
  auto const take = [&](std::string_view name) -> Result<void> {
    if (line.find(name) == nullptr) return {};
    auto const number = line.number_in(name);
    if (!number) return number.error();
    edge.value = *number;
    return {};
  };
  switch (schema::carried_by(edge.type)) {
    case schema::Carries::weight:
      return take("weight");
    case schema::Carries::version:
      return take("version");
    case schema::Carries::score:
      return take("score");
    case schema::Carries::confidence:
      return take("confidence");
    case schema::Carries::rank:
      return take("rank");
    case schema::Carries::similarity: {
      auto const rank = line.number_in("rank");
      if (!rank) return rank.error();
      if (*rank < 0 || *rank > schema::limits::int32_max) return line.error("holds a rank out of range");
      edge.rank = static_cast<std::uint32_t>(*rank);
      return take("similarity");
    }
    default:  // a time follows from its record, and so do citations
      return {};
  }
}

Result<RestoredEdge> read_edge(json::value const& value, std::uint64_t number) {
  if (!value.is_object()) return history_error(number, "holds an edge that is no object");
  Line const line(value.get_object(), number);
  auto from = ref_in(line, "from");
  if (!from) return from.error();
  auto to = ref_in(line, "to");
  if (!to) return to.error();
  auto const name = line.text("type");
  if (!name) return name.error();
  auto const type = schema::find_edge_type(*name);
  if (!type) return line.error("holds an edge of no known type");
  RestoredEdge edge{.type = *type, .from = std::move(*from), .to = std::move(*to)};
  for (auto const* const said : {"basis", "role"}) {  // a role says more than the basis beside it
    if (line.find(said) == nullptr) continue;
    auto const text = line.text(said);
    if (!text) return text.error();
    auto const basis = schema::find_named<schema::Basis>(*text);
    if (!basis) return line.error("holds an edge of no known " + std::string(said));
    edge.type = schema::with_basis(schema::named_type(edge.type), *basis);
  }
  if (auto const read = read_value(line, edge); !read) return read.error();
  return edge;
}

/// An open round lacks the responses that are still to come.
bool is_of_open_round(Violation const& violation, schema::Record const& record) {
  return violation.rule == "required" && std::holds_alternative<schema::DiscussionRound>(record);
}

/// What only answers show is not written; but a summary's own part is what its text was made of.
constexpr std::array<std::string_view, 4> answer_members = {"dangling", "increment", "expired", "purged"};

void put_increment(json::object const& members, schema::Record& record) {
  auto* const summary = std::get_if<schema::Summary>(&record);
  auto const* const increment = members.if_contains("increment");
  if (summary == nullptr || increment == nullptr || !increment->is_string()) return;
  summary->increment = std::string(increment->get_string());
  summary->content.clear();
}

/// What a server may be configured to refuse today was taken when it was written.
schema::CheckContext context_of(schema::Record const& record) {
  schema::CheckContext context{.latest_time = {.seconds = std::numeric_limits<std::int64_t>::max()},
                               .mode = schema::Mode::capture};
  auto const accept = [&](std::string const& model, std::size_t dimension) {
    context.embeddings = {.accepted = {{model, dimension}}, .unnamed = model};
  };
  if (auto const* const embedding = std::get_if<schema::EmbeddingVector>(&record)) {
    accept(embedding->model_name, embedding->vector.size());
  }
  if (auto const* const chunk = std::get_if<schema::RetrievedChunk>(&record); chunk != nullptr && chunk->embedding) {
    accept(chunk->embedding_model.value_or(context.embeddings.unnamed), chunk->embedding->size());
  }
  return context;
}

Result<schema::Record> read_record(json::value const& value, std::uint64_t number) {
  if (!value.is_object()) return history_error(number, "needs an object in \"record\"");
  json::object members = value.get_object();
  for (auto const name : answer_members) members.erase(name);
  auto incoming = schema::json::decode_record(members, {}, schema::json::Source::copy);
  if (incoming.is_usable) {
    schema::check(incoming, context_of(incoming.record));
    std::erase_if(incoming.violations,
                  [&](Violation const& violation) { return is_of_open_round(violation, incoming.record); });
  }
  if (incoming.violations.empty() && incoming.is_usable) {
    put_increment(value.get_object(), incoming.record);
    return std::move(incoming.record);
  }
  auto const& violation = incoming.violations.front();
  return history_error(number, "/record" + violation.path + ": " + violation.message + " (" + violation.rule + ")");
}

/// What a summary's text lacks is gone after a later transaction of the history.
void leave_out_gone_versions(json::object& event) {
  auto* const record = event.if_contains("record");
  if (record == nullptr || !record->is_object() || !record->get_object().contains("increment")) return;
  for (std::string_view const name : {"expired", "purged"}) record->get_object().erase(name);
}

Result<void> read_edges(Line const& line, RestoredEvent& event) {
  auto const* const edges = line.find("edges");
  if (edges == nullptr) return {};
  if (!edges->is_array()) return line.error("needs an array in \"edges\"");
  for (auto const& each : edges->get_array()) {
    auto edge = read_edge(each, event.line);
    if (!edge) return edge.error();
    event.edges.push_back(std::move(*edge));
  }
  return {};
}

/// Puts the edges into the order that `order` names: each place once.
Result<void> put_in_order(Line const& line, json::value const& order, std::vector<RestoredEdge>& edges) {
  auto const error = line.error("needs each place of \"edges\" once in \"edge_order\"");
  auto const* const places = order.if_array();
  if (places == nullptr || places->size() != edges.size()) return error;
  std::vector<RestoredEdge> ordered;
  std::vector<bool> taken(edges.size());
  for (auto const& each : *places) {
    auto const* const place = each.if_int64();
    bool const is_place = place != nullptr && *place >= 0 && static_cast<std::uint64_t>(*place) < edges.size();
    if (!is_place || taken[static_cast<std::size_t>(*place)]) return error;
    taken[static_cast<std::size_t>(*place)] = true;
    ordered.push_back(edges[static_cast<std::size_t>(*place)]);
  }
  edges = std::move(ordered);
  return {};
}

/// What outlives a record, and only it could say.
Result<void> read_gone(Line const& line, RestoredEvent& event) {
  if (line.find("time") != nullptr) {
    auto const text = line.text("time");
    if (!text) return text.error();
    auto const time = schema::parse_rfc3339(*text);
    if (!time) return line.error("needs a time in \"time\"");
    event.time = *time;
  }
  auto const* const order = line.find("edge_order");
  return order == nullptr ? Result<void>{} : put_in_order(line, *order, event.edges);
}

Result<RestoredEvent> read_event(json::object const& members, std::uint64_t number) {
  Line const line(members, number);
  auto const op_name = line.text("op");
  if (!op_name) return op_name.error();
  auto const op = schema::find_named<graph::EventOp>(*op_name);
  if (!op || *op == graph::EventOp::changed) return line.error("holds no known op");
  auto ref = ref_in(line, "ref");
  if (!ref) return ref.error();
  RestoredEvent event{.op = *op, .ref = std::move(*ref), .line = number};
  if (auto const* const record = line.find("record")) {
    auto read = read_record(*record, number);
    if (!read) return read.error();
    event.record = std::move(*read);
  }
  auto const is_true = [&](std::string_view name) {
    auto const* const value = line.find(name);
    return value != nullptr && value->is_bool() && value->get_bool();
  };
  event.is_gone = is_true("expired");
  event.is_purged = is_true("purged");
  if (line.find("put") != nullptr) {
    auto const put = tx_in(line, "put");
    if (!put) return put.error();
    event.put = *put;
  }
  if (line.find("status") != nullptr) {
    auto const status = line.text("status");
    if (!status) return status.error();
    event.status = *status;
  }
  if (auto const read = read_edges(line, event); !read) return read.error();
  json::object expected = members;
  if (line.find("xml") != nullptr) {
    auto const text = line.text("xml");
    if (!text) return text.error();
    event.text = *text;
    expected.erase("xml");
  }
  if (event.is_gone) {
    if (auto const read = read_gone(line, event); !read) return read.error();
    for (std::string_view const name : {"time", "edge_order"}) expected.erase(name);
  }
  expected.erase("reason");  // that of the whole transaction
  leave_out_gone_versions(expected);
  event.expected = schema::json::to_canonical_text(expected);
  return event;
}

/// Each removal of a transaction names the reason that it was given.
Result<void> take_reason(Line const& line, RestoredTransaction& into) {
  if (line.find("reason") == nullptr) return {};
  auto const reason = line.text("reason");
  if (!reason) return reason.error();
  if (schema::code_points(*reason) > schema::limits::removal_reason_max) return line.error("has too long a reason");
  if (!into.reason.empty() && into.reason != *reason) return line.error("has another reason than its transaction");
  into.reason = *reason;
  return {};
}

Result<void> add(json::value const& value, std::uint64_t number, std::vector<RestoredTransaction>& into) {
  if (auto const* const text = value.if_string()) {  // the line itself, which may nest as deeply as any
    auto const document = schema::json::parse(*text);
    if (!document) return history_error(number, "is no JSON: " + document.error().message);
    if (document->value.is_string()) return history_error(number, "is no object");
    if (!document->inexact.empty()) {
      return history_error(number, document->inexact.front() + " " + std::string(schema::json::inexact_message));
    }
    return add(document->value, number, into);
  }
  if (!value.is_object()) return history_error(number, "is no object");
  Line const line(value.get_object(), number);
  auto const tx = tx_in(line, "tx");
  if (!tx) return tx.error();
  auto const at_text = line.text("at");
  if (!at_text) return at_text.error();
  auto const at = schema::parse_rfc3339(*at_text);
  if (!at) return line.error("needs a time in \"at\"");
  auto const id = *tx;
  if (into.empty() || into.back().tx != id) {
    bool const follows = into.empty() || schema::next(into.back().tx) == id;
    if (!follows)
      return line.error("holds transaction " + std::to_string(schema::number(id)) + ", which does not follow");
    into.push_back({.tx = id, .at = *at});
  }
  if (into.back().at != *at) return line.error("holds another time than its transaction");
  auto event = read_event(value.get_object(), number);
  if (!event) return event.error();
  if (auto const taken = take_reason(line, into.back()); !taken) return taken;
  into.back().events.push_back(std::move(*event));
  return {};
}

/// A record that the history has no content of is blank until the transaction that removes it.
void show_gone(RestoredEvent const& event, json::object& rebuilt) {
  rebuilt.erase("record");
  rebuilt["expired"] = true;
  if (event.is_purged) rebuilt["purged"] = true;
}

/// Whether the events of the transaction, as applied, equal those of the history.
Result<void> check_restored(RestoredTransaction const& transaction, graph::Delta delta, graph::Snapshot const& after,
                            schema::RecordReader const& records) {
  queries::Events const events(queries::View{.snapshot = after, .records = &records}, std::move(delta));
  std::vector<std::uint32_t> all(events.size());
  std::iota(all.begin(), all.end(), 0U);
  auto const texts = queries::EventTexts::make(events, all, {.has_record = true, .has_edges = true});
  if (!texts) return texts.error();
  for (auto const i : all) {
    std::string text;
    texts->append_unlinked(text, i);
    if (i >= transaction.events.size()) {
      return history_error(transaction.events.back().line, "is not followed by " + schema::cut(text, shown_bytes_max));
    }
    auto rebuilt = schema::json::parse(text);
    if (!rebuilt) return rebuilt.error();
    if (transaction.events[i].is_gone) show_gone(transaction.events[i], rebuilt->value.as_object());
    leave_out_gone_versions(rebuilt->value.as_object());
    if (schema::json::to_canonical_text(rebuilt->value) == transaction.events[i].expected) continue;
    return history_error(transaction.events[i].line,
                         "does not agree with the rest, which makes it " + schema::cut(text, shown_bytes_max));
  }
  if (transaction.events.size() > all.size())
    return history_error(transaction.events[all.size()].line, "does not follow from the rest");
  return {};
}

/// Adds members that an event names twice, where the request does not list them already.
void add_duplicates(std::vector<std::string> const& pointers, std::uint64_t event, Request const& request,
                    std::vector<Violation>& violations) {
  for (auto const& pointer : pointers) {
    auto const place = "/events/" + std::to_string(event) + pointer;
    bool const is_listed = std::ranges::find(request.duplicates, place) != request.duplicates.end();
    if (is_listed || violations.size() >= schema::limits::record_violations_max) continue;
    violations.push_back(duplicate_violation(place));
  }
}

}  // namespace

void decode_value(json::value const& value, EventElements& into, schema::Rule const&, schema::Path const& at,
                  schema::Report& report) {
  auto const* const elements = value.if_array();
  if (elements == nullptr) return schema::json::refuse(value, "type", at, report, "must be an array of events");
  if (elements->empty()) return schema::json::refuse(value, "items", at, report, "must hold at least one event");
  into.elements = elements;
}

void write_schema(schema::json::Writer& out, schema::Rule const&, Kinded<EventElements>) {
  out.member("type", "array").member("minItems", 1).key("items").begin_object().key("type").begin_array();
  out.value("object").value("string").end_array().end_object();
}

Result<WriteRequest> parse_restore(Request const& request) {
  std::vector<Violation> violations = duplicate_violations(request.duplicates);
  RestoreParams params;
  decode_params(request.params, params, violations);
  if (params.events.elements == nullptr) return error_from(std::move(violations));
  engine::History history{.check = check_restored, .keeps_statuses = params.keep_statuses};
  bool is_wrong = !violations.empty();
  std::optional<Error> failed;
  std::size_t bytes = 0;
  auto number = params.first_line;
  Elements elements(request, "events", *params.events.elements);
  // What is still text is read to its end: it may name a member twice.
  while (auto const* const element = elements.is_text() || !is_wrong ? elements.next() : nullptr) {
    add_duplicates(elements.duplicates(), number - params.first_line, request, violations);
    if (!is_wrong && elements.cut()) failed = history_error(number, "holds too many values");
    if (!is_wrong && !failed) {
      auto const added = add(*element, number, history.transactions);
      if (added) bytes += sizeof(RestoredEvent) + history.transactions.back().events.back().expected.size();
      if (!added) failed = added.error();
    }
    is_wrong = is_wrong || failed;
    if (!elements.may_hold(bytes)) return no_memory_for_elements();
    ++number;
  }
  if (!violations.empty()) return error_from(std::move(violations));
  if (elements.error()) return *elements.error();
  if (failed) return *std::move(failed);
  WriteRequest write;
  write.batch.step = std::move(history);
  write.batch.dry_run = params.dry_run;
  write.batch.bytes = request.bytes;
  return write;
}

void write_restored(std::string& out, engine::WriteAnswer const& answer) {
  schema::json::Writer(out).begin_object().member("tx", number(answer.tx)).end_object();
}

}  // namespace whence::net
