// Reads requests and answers again to log what the client saw. Only methods whose row has a `log` cost that, and only
// where a log sink is set.

#include "net/rpc/request_log.hpp"

#include "engine/values/id_source.hpp"
#include "graph/snapshot/records.hpp"
#include "net/rpc/envelope.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/records.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace whence::net {

namespace {

namespace json = boost::json;

/// Whether an error is the server's fault.
bool is_ours(Errc error) {
  return error == Errc::internal_error || error == Errc::corrupt || error == Errc::storage_full;
}

std::string text_in(json::object const& object, std::string_view name) {
  auto const* text = object.if_contains(name);
  if (text == nullptr) return {};
  if (text->is_object()) return text_in(text->get_object(), name);
  return text->is_string() ? std::string(text->get_string()) : std::string{};
}

/// The id of the retrieval request in an answer: beside the chunks, or in the stored Answer.
std::string request_id_in(json::object const& result) {
  auto id = text_in(result, "request_id");
  auto const* answer = result.if_contains("answer");
  if (id.empty() && answer != nullptr && answer->is_object()) id = text_in(answer->get_object(), "request_id");
  return id;
}

using schema::RecordType;

std::string fresh_request_id(graph::Snapshot const& known, schema::Time now) {
  engine::RandomIds ids;
  auto made = engine::request_id_of(now, ids.uuid());
  while (known.find(RecordType::query, made)) made = engine::request_id_of(now, ids.uuid());
  return made;
}

std::uint64_t length_of(std::string const& text) {
  return schema::is_utf8(text) ? schema::code_points(text) : 0;
}

/// What the log shows of a record; nothing for records that belong to no retrieval request.
std::optional<LoggedRecord> logged_record(json::object const& record, std::size_t index) {
  auto const name = text_in(record, "$type$");
  LoggedRecord line{.index = index, .type = RecordType::query, .request_id = text_in(record, "request_id")};
  if (name == "Query") {
    line.size = length_of(text_in(record, "question"));
  } else if (name == "EmbeddingVector") {
    line.type = RecordType::embedding_vector;
    line.model_name = text_in(record, "model_name");
    if (auto const* vector = record.if_contains("vector"); vector != nullptr && vector->is_array()) {
      line.size = vector->get_array().size();
    }
  } else if (name == "RetrievedChunk" && !line.request_id.empty()) {
    line.type = RecordType::retrieved_chunk;
  } else if (name == "Answer") {
    line.type = RecordType::answer;
  } else {
    return std::nullopt;
  }
  return line;
}

bool is_dry_run(json::object const& params) {
  auto const* is_dry = params.if_contains("dry_run");
  return is_dry != nullptr && is_dry->is_bool() && is_dry->get_bool();
}

/// The id after the type of a ref: that of a query is as it is, since it is an id of one part.
std::string id_in(json::array const& refs, std::size_t index) {
  if (index >= refs.size() || !refs[index].is_string()) return {};
  std::string_view const ref = refs[index].get_string();
  auto const colon = ref.find(':');
  return colon == std::string_view::npos ? std::string{} : std::string(ref.substr(colon + 1));
}

/// What the store knows of a request: the length of its question, and how many chunks were retrieved for it.
void write_request(schema::json::Writer& out, queries::View const& view, std::string const& request_id,
                   bool has_chunks) {
  auto const& known = view.snapshot;
  auto const query = known.find(RecordType::query, request_id);
  if (!query) return;
  std::vector const vertices{*query};
  (void)graph::read_those_there(known, *view.records, vertices, [&](std::size_t, schema::Record&& record) {
    out.member("question_length", length_of(std::get<schema::Query>(record).question));
    return true;
  });
  if (!has_chunks) return;
  auto const causes = known.causes(*query);
  auto const count = std::ranges::count_if(
      causes.edges, [&](schema::EdgeId edge) { return known.type(edge) == schema::EdgeType::retrieved_for; });
  out.member("chunks_retrieved", static_cast<std::uint64_t>(count));
}

void write_stored_answer(schema::json::Writer& out, queries::View const& view, std::string const& request_id) {
  write_request(out, view, request_id, true);
  auto const vertex = view.snapshot.find(RecordType::answer, request_id);
  if (!vertex) return;
  std::vector const vertices{*vertex};
  (void)graph::read_those_there(view.snapshot, *view.records, vertices, [&](std::size_t, schema::Record&& record) {
    auto const& answer = std::get<schema::Answer>(record);
    out.member("citations", std::uint64_t{answer.citations.size()});
    if (answer.confidence) out.member("confidence", *answer.confidence);
    if (answer.processing_time_ms) out.member("processing_time_ms", *answer.processing_time_ms);
    return true;
  });
}

/// How many chunks each request of a batch retrieved, in order of first mention.
std::vector<std::pair<std::string, std::uint64_t>> retrieval_counts(std::vector<LoggedRecord> const& records) {
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  std::map<std::string_view, std::size_t> places;
  for (auto const& each : records) {
    if (each.type != RecordType::retrieved_chunk) continue;
    auto const [place, is_first] = places.try_emplace(each.request_id, counts.size());
    if (is_first) counts.emplace_back(each.request_id, 0);
    ++counts[place->second].second;
  }
  return counts;
}

std::string error_message(json::object const& response) {
  auto const* error = response.if_contains("error");
  return error != nullptr && error->is_object() ? text_in(error->get_object(), "message") : std::string{};
}

/// The record of a retrieval request that the refusal of a batch names; null where it names another.
LoggedRecord const* find_refused(std::vector<LoggedRecord> const& records, json::object const& response) {
  auto const* error = response.if_contains("error");
  auto const* data = error != nullptr && error->is_object() ? error->get_object().if_contains("data") : nullptr;
  auto const* index = data != nullptr && data->is_object() ? data->get_object().if_contains("index") : nullptr;
  if (index == nullptr || !index->is_int64()) return nullptr;
  auto const found = std::ranges::find_if(
      records, [&](LoggedRecord const& each) { return std::cmp_equal(each.index, index->get_int64()); });
  return found == records.end() ? nullptr : &*found;
}

std::string_view component_of(RecordType type) {
  if (type == RecordType::answer) return "generation";
  return type == RecordType::embedding_vector ? "embedding" : "retrieval";
}

}  // namespace

bool notes_records(Method const& method, json::object const& params) {
  return method.logs_records && !is_dry_run(params);
}

void note_record(LoggedRequest& noted, std::size_t place, json::value const& record) {
  if (!record.is_object()) return;
  if (auto line = logged_record(record.get_object(), place)) noted.records.push_back(*std::move(line));
}

LoggedRequest log_received(LogSink const& sink, Method const& method, Request& request, graph::Snapshot const& known,
                           schema::Time now) {
  if (request.logged) return *std::exchange(request.logged, std::nullopt);
  auto const& params = request.params;
  if (method.logs_records) {
    LoggedRequest noted;
    auto const* records = params.if_contains("records");
    if (!notes_records(method, params) || records == nullptr || !records->is_array()) return noted;
    for (std::size_t i = 0; auto const& each : records->get_array()) note_record(noted, i++, each);
    return noted;
  }
  auto const* const logged = method.log;
  if (logged == nullptr) return {};
  LoggedRequest noted{.request_id = text_in(params, "request_id")};
  auto const* const taken = params.if_contains("processing_time_ms");
  if (taken != nullptr && taken->is_int64()) noted.processing_time_ms = taken->get_int64();
  if (logged->received.empty()) return noted;
  auto const* const given_id = params.if_contains("request_id");
  if (given_id == nullptr || given_id->is_null()) {
    noted.request_id = fresh_request_id(known, now);
    bool const is_recorded = method.writes != nullptr && method.writes(params);
    if (is_recorded) request.params["request_id"] = noted.request_id;
  }
  auto const* const question = params.if_contains("question");
  if (question != nullptr && question->is_string()) noted.question_length = length_of(text_in(params, "question"));
  LogEvent line{.component = logged->component, .event = logged->received, .data = {}};
  schema::json::Writer out(line.data);
  out.begin_object();
  if (noted.question_length) out.member("question_length", *noted.question_length);
  out.end_object();
  line.request_id = noted.request_id;
  sink(line);
  return noted;
}

void log_answered(LogSink const& sink, Method const& method, Answered const& answered,
                  std::function<queries::View()> const& view) {
  auto const& error = answered.error;
  auto const* const logged = method.log;
  bool const may_be_of_record = error && !answered.request.records.empty();
  if (logged == nullptr && !may_be_of_record && !(error && is_ours(*error))) return;
  LogEvent line{
      .component = "server", .event = "request_failed", .request_id = answered.request.request_id, .data = {}};
  if (logged != nullptr) line.component = logged->component;
  if (logged != nullptr && !error) line.event = logged->answered;
  if (error) line.level = is_ours(*error) ? LogLevel::error : LogLevel::warning;
  schema::json::Writer out(line.data);
  out.begin_object().member("method", method.name);
  auto const parsed = schema::json::parse(answered.response);
  if (parsed && parsed->value.is_object()) {
    auto const& whole = parsed->value.get_object();
    line.error = error_message(whole);
    auto const* refused = may_be_of_record ? find_refused(answered.request.records, whole) : nullptr;
    if (logged == nullptr && refused == nullptr && !is_ours(*error)) return;
    if (refused != nullptr) {
      line.component = component_of(refused->type);
      line.request_id = refused->request_id;
    }
    auto const* result = whole.if_contains("result");
    if (result != nullptr && result->is_object()) {
      if (auto id = request_id_in(result->get_object()); !id.empty()) line.request_id = std::move(id);
      if (answered.request.question_length) out.member("question_length", *answered.request.question_length);
      if (logged != nullptr && logged->received.empty()) write_request(out, view(), line.request_id, true);
      if (logged != nullptr) logged->describe(out, result->get_object());
    }
  }
  std::int64_t const ms = std::chrono::duration_cast<std::chrono::milliseconds>(answered.elapsed).count();
  out.member("processing_time_ms", answered.request.processing_time_ms.value_or(ms)).end_object();
  sink(line);
}

void log_written(LogSink const& sink, Answered const& answered, queries::View const& view) {
  auto const parsed = schema::json::parse(answered.response);
  if (!parsed || !parsed->value.is_object()) return;
  auto const* result = parsed->value.get_object().if_contains("result");
  if (result == nullptr || !result->is_object() || result->get_object().contains("unchanged")) return;
  auto const* refs = result->get_object().if_contains("refs");
  if (refs == nullptr || !refs->is_array()) return;
  auto const send = [&](std::string_view component, std::string_view event, std::string request_id,
                        auto const& describe) {
    LogEvent line{.component = component, .event = event, .request_id = std::move(request_id), .data = {}};
    schema::json::Writer out(line.data);
    out.begin_object().member("method", "records.write");
    describe(out);
    out.end_object();
    sink(line);
  };
  auto const& records = answered.request.records;
  for (auto const& each : records) {
    auto const id = each.request_id.empty() ? id_in(refs->get_array(), each.index) : each.request_id;
    if (each.type == RecordType::query) {
      send("retrieval", "query_received", id, [&](auto& out) { out.member("question_length", each.size); });
    } else if (each.type == RecordType::embedding_vector) {
      send("embedding", "query_embedded", id, [&](auto& out) {
        write_request(out, view, id, false);
        out.member("model_name", each.model_name).member("dimension", each.size);
      });
    }
  }
  for (auto const& [request_id, count] : retrieval_counts(records)) {
    auto const& id = request_id;
    auto const chunks = count;
    send("retrieval", "chunks_retrieved", id, [&](auto& out) {
      write_request(out, view, id, false);
      out.member("chunks_retrieved", chunks);
    });
  }
  for (auto const& each : records) {
    if (each.type != RecordType::answer) continue;
    send("generation", "answer_generated", each.request_id,
         [&](auto& out) { write_stored_answer(out, view, each.request_id); });
  }
}

}  // namespace whence::net
