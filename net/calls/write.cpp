// The params of records.write and records.delete, and their results.

#include "net/calls/write.hpp"

#include "engine/values/purge_proposal.hpp"
#include "net/calls/elements.hpp"
#include "net/params/params.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/prov/agreement.hpp"
#include "schema/types/flags.hpp"
#include "schema/types/ref.hpp"
#include "schema/wire/codec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

namespace whence::net {

namespace {

constexpr std::string_view records_prefix = "/records/";

/// The duplicates of each record that has any, relative to it, and those of the params beside the records.
struct Duplicates {
  std::unordered_map<std::size_t, std::vector<std::string>> in_records = {};
  std::vector<std::string> beside = {};
};

Duplicates sort_duplicates(std::vector<std::string> const& pointers) {
  Duplicates sorted;
  for (std::string const& pointer : pointers) {
    std::size_t index = 0;
    char const* const end = pointer.data() + pointer.size();
    bool const is_record = pointer.starts_with(records_prefix);
    auto const parsed = std::from_chars(is_record ? pointer.data() + records_prefix.size() : end, end, index);
    if (is_record && parsed.ec == std::errc{} && parsed.ptr != end) {
      sorted.in_records[index].emplace_back(parsed.ptr, end);
    } else {
      sorted.beside.push_back(pointer);
    }
  }
  return sorted;
}

/// A record whose text is too large to be looked at.
schema::IncomingRecord cut_record(std::string const& place) {
  return {.record = {},
          .violations = {{.rule = "size",
                          .path = place,
                          .message = "the record holds more than " + std::to_string(schema::json::values_max) +
                                     " values, with this"}},
          .is_usable = false};
}

/// A copy of an open round lacks the responses that are still to come.
void allow_open_round(schema::IncomingRecord& incoming) {
  if (!incoming.is_usable || !std::holds_alternative<schema::DiscussionRound>(incoming.record)) return;
  std::erase_if(incoming.violations, [](Violation const& violation) { return violation.rule == "required"; });
}

/// A copy of a version may have lost the one before it.
void allow_lost_version(schema::IncomingRecord& incoming) {
  auto const* const unit = incoming.is_usable ? std::get_if<schema::ContextUnit>(&incoming.record) : nullptr;
  if (unit == nullptr || unit->version <= 1 || unit->previous_version_id) return;
  std::erase_if(incoming.violations, [](Violation const& violation) { return violation.rule == "version_link"; });
}

/// Checks a copy. Sources that were deleted left their part of the weights: those of the others are not scaled, and
/// where all were deleted the response was not without any.
void check_copy(schema::IncomingRecord& incoming, schema::CheckContext const& context) {
  auto* const response = incoming.is_usable ? std::get_if<schema::Response>(&incoming.record) : nullptr;
  bool const had_units = response != nullptr && !schema::has_flag(response->flags, schema::flag::no_units);
  bool const has_lost = response != nullptr && !response->context_units.empty() && !response->given_weights &&
                        !schema::has_flag(response->flags, schema::flag::scaled_weights);
  std::vector<double> weights;
  double sum = 0;
  if (has_lost) weights.reserve(response->context_units.size());
  for (std::size_t i = 0; has_lost && i < response->context_units.size(); ++i) {
    weights.push_back(response->context_units[i].weight);
    sum += weights.back() >= 0 ? weights.back() : 2;
  }
  engine::Engine::check(incoming, context);
  if (had_units) schema::drop_flag(response->flags, schema::flag::no_units);
  if (!has_lost || !(sum < 1) || !response->given_weights || response->context_units.size() != weights.size()) return;
  for (std::size_t i = 0; i < weights.size(); ++i) response->context_units[i].weight = weights[i];
  response->given_weights.reset();
  schema::drop_flag(response->flags, schema::flag::scaled_weights);
}

/// A manifest that the server made is taken back: it may have been asked for with more bytes than one by others may
/// have, and of a response without any source. One is made where the response is known, or all that it used.
void allow_own_manifest(schema::IncomingRecord& incoming, graph::Snapshot const& known, schema::Mode mode) {
  auto const* const manifest = incoming.is_usable ? std::get_if<schema::LineageManifest>(&incoming.record) : nullptr;
  if (manifest == nullptr || incoming.violations.empty()) return;
  bool const is_known = known.find(schema::RecordType::response, manifest->response_id).has_value();
  auto const& tree = manifest->context_tree;
  bool const may_be_large = is_known || std::ranges::all_of(tree, [&](schema::ManifestNode const& node) {
                              auto const ref = schema::parse_ref(node.id);
                              return ref && known.find(ref->type, ref->id);
                            });
  bool const may_be_empty = tree.empty() && (is_known || mode == schema::Mode::capture);
  std::erase_if(incoming.violations, [&](Violation const& each) {
    return (may_be_large && each.rule == "manifest_size") ||
           (may_be_empty && each.rule == "items" && each.path == "/context_tree");
  });
}

Error refusal_of(std::vector<schema::IncomingRecord>& records) {
  std::vector<Violation> all;
  for (std::uint32_t i = 0; auto& incoming : records) {
    for (auto& violation : incoming.violations) {
      violation.index = i;
      all.push_back(std::move(violation));
    }
    ++i;
  }
  return error_from(std::move(all));
}

/// What a write holds of a record until it is answered, beside its texts: the record as it came, as the writer's plan
/// has it, and about 220 bytes in the lists of references, rows, vertices and refs. What stays in the graph is not the
/// request's. Measured with 375,000 topics in one message of 16 MiB.
constexpr std::size_t bytes_of_record = sizeof(schema::IncomingRecord) + sizeof(schema::Record) + 256;

/// Reads and checks one record after the other. A batch with a thousand mistakes is refused for these: what follows is
/// not looked at.
Result<void> read_records(Elements& elements, Duplicates const& duplicates, engine::Engine const& engine,
                          engine::WriteBatch& batch) {
  constexpr std::size_t sample = 100;  // from which the number of records is judged
  auto const source = batch.keeps_derived ? schema::json::Source::copy : schema::json::Source::client;
  auto const context = engine.check_context(batch.mode);
  auto& records = batch.records;
  std::size_t mistakes = 0;
  while (auto const* const element = elements.next()) {
    if (records.size() == sample) records.reserve(elements.count_estimated());
    if (elements.cut()) {
      records.push_back(cut_record(*elements.cut()));
    } else {
      auto const own = duplicates.in_records.find(records.size());
      // Where the whole text was searched, the list also has what an earlier `params` of the same request repeats.
      bool const is_listed = own != duplicates.in_records.end();
      auto const& named_twice = is_listed ? own->second : elements.duplicates();
      records.push_back(schema::json::decode_record(*element, named_twice, source));
      if (batch.keeps_derived) allow_open_round(records.back());
      if (batch.keeps_derived) {
        check_copy(records.back(), context);
        allow_lost_version(records.back());
      } else {
        engine::Engine::check(records.back(), context);
      }
      schema::json::check_agreement(records.back());
      allow_own_manifest(records.back(), engine.snapshot(), context.mode);
    }
    mistakes += records.back().violations.size();
    if (mistakes >= schema::limits::record_violations_max) return refusal_of(records);
    if (!elements.may_hold(records.size() * bytes_of_record)) return no_memory_for_elements();
  }
  if (elements.error()) return *elements.error();
  batch.has_checked_fields = true;
  return {};
}

/// What a purge leaves, for the person who has to answer for it.
constexpr std::array not_purged = {"backups and exports made before",
                                   "backups made at other nodes of a replicated log: each knows its own",
                                   "ids, edges, weights, times and hashes, among them a keyword's term",
                                   "free pages and dictionaries of the store's file, until `whence compact`",
                                   "messages of a replicated log, until `whence log trim`"};

void check_key(WriteParams const& params, std::vector<Violation>& violations) {
  if (!params.idempotency_key) return;
  std::size_t const bytes = params.idempotency_key->size();
  auto const length = schema::code_points(*params.idempotency_key);
  if (length == 0 || length > schema::limits::idempotency_key_bytes_max) return;  // said with the other params
  if (bytes <= schema::limits::idempotency_key_bytes_max) return;
  violations.push_back(param_violation("length", "/idempotency_key", schema::shown(std::uint64_t{bytes}) + " bytes",
                                       "must be 1 to 255 bytes"));
}

/// What both kinds of writes are asked besides what to write.
template <class Params>
WriteRequest common_request(Request const& request, Params const& params) {
  WriteRequest write;
  if (params.expect_tx) write.batch.expect_tx = schema::TxId{*params.expect_tx};
  write.batch.dry_run = params.dry_run;
  write.batch.bytes = request.bytes;
  if (params.timeout_ms) write.timeout = timeout_of(*params.timeout_ms);
  return write;
}

void write_list(schema::json::Writer& out, std::string_view name, std::vector<std::string> const& refs) {
  out.key(name).begin_array();
  for (std::string const& ref : refs) out.value(ref);
  out.end_array();
}

void write_backups(schema::json::Writer& out, std::vector<engine::OlderBackup> const& backups) {
  out.key("backups").begin_array();
  for (auto const& backup : backups) {
    out.begin_object().member("path", backup.path).member("tx", number(backup.tx)).key("types").begin_object();
    for (auto const& [type, count] : backup.counts) out.member(type, count);
    out.end_object();
    if (!backup.was_looked_at) out.member("not_looked_at", true);
    out.end_object();
  }
  out.end_array();
}

void write_lost(schema::json::Writer& out, std::vector<engine::LostRecord> const& lost) {
  out.key("list").begin_array();
  for (auto const& each : lost) {
    out.begin_object().member("ref", each.ref).member("tx", number(each.tx));
    out.member("at", schema::format_rfc3339(each.at)).member("purged_at", schema::format_rfc3339(each.purged_at));
    out.end_object();
  }
  out.end_array();
}

/// `names_shared`: also what stays of what a person's answers were made from. A purge writes a record where it erases
/// somebody, and where somebody else has to confirm it.
void write_purged(std::string& out, engine::WriteAnswer const& answer, bool names_shared) {
  schema::json::Writer writer(out);
  writer.begin_object().member("tx", number(answer.tx));
  auto const* const made = answer.made ? std::get_if<schema::ProvActivity>(&*answer.made) : nullptr;
  auto const proposal = made == nullptr ? std::nullopt : engine::find_proposal_in(*made);
  if (proposal) {
    writer.member("proposed", answer.refs.front());
    writer.member("confirm_until", schema::format_rfc3339(proposal->confirm_until));
  } else if (!answer.refs.empty()) {
    writer.member("erasure", answer.refs.front());
  }
  write_list(writer, "purged", answer.removal.gone);
  if (names_shared) write_list(writer, "shared", answer.removal.shared);
  if (names_shared && !answer.removal.backups.empty()) write_backups(writer, answer.removal.backups);
  if (answer.removal.lost) write_lost(writer, *answer.removal.lost);
  write_list(writer, "redacted", answer.removal.redacted);
  writer.member("blobs", answer.removal.blobs);
  write_list(writer, "not_reached", {std::begin(not_purged), std::end(not_purged)});
  if (answer.is_unchanged) writer.member("unchanged", true);
  if (!answer.warnings.empty()) add_warnings(writer, answer.warnings);
  writer.end_object();
}

}  // namespace

Result<WriteRequest> parse_write(Request const& request) {
  Duplicates const duplicates = sort_duplicates(request.duplicates);
  std::vector<Violation> violations = duplicate_violations(duplicates.beside);
  WriteParams params;
  decode_params(request.params, params, violations);
  check_key(params, violations);
  if (!violations.empty()) return error_from(std::move(violations));
  WriteRequest write = common_request(request, params);
  write.batch.mode = params.mode;
  write.batch.ensure = params.ensure;
  write.batch.keeps_derived = params.keep_derived;
  write.batch.idempotency_key = params.idempotency_key.value_or("");
  Elements elements(request, "records", *params.records.elements);
  auto const read = read_records(elements, duplicates, request.intake->engine, write.batch);
  if (!read) return read.error();
  return write;
}

void add_warnings(schema::json::Writer& writer, std::vector<Violation> const& warnings) {
  writer.key("warnings").begin_array();
  for (Violation const& warning : warnings) {
    writer.begin_object();
    if (warning.index) writer.member("index", *warning.index);
    writer.member("rule", warning.rule);
    if (warning.xml) writer.member("line", warning.xml->line).member("column", warning.xml->column);
    writer.member("path", warning.path).member("message", warning.message).end_object();
  }
  writer.end_array();
}

void write_answer(std::string& out, engine::WriteAnswer const& answer) {
  schema::json::Writer writer(out);
  writer.begin_object().member("tx", number(answer.tx));
  write_list(writer, "refs", answer.refs);
  add_warnings(writer, answer.warnings);
  if (answer.is_unchanged) writer.member("unchanged", true);
  writer.end_object();
}

Result<WriteRequest> parse_delete(Request const& request) {
  std::vector<Violation> violations = duplicate_violations(request.duplicates);
  DeleteParams params;
  decode_params(request.params, params, violations);
  if (!violations.empty()) return error_from(std::move(violations));
  WriteRequest write = common_request(request, params);
  write.batch.deletes = std::move(params.refs);
  write.batch.force = params.force;
  write.batch.reason = std::move(params.reason).value_or("");
  return write;
}

Result<WriteRequest> parse_purge(Request const& request) {
  std::vector<Violation> violations = duplicate_violations(request.duplicates);
  PurgeParams params;
  decode_params(request.params, params, violations);
  if (!violations.empty()) return error_from(std::move(violations));
  WriteRequest write;
  write.names_lost = params.list;
  write.batch.dry_run = params.dry_run;
  write.batch.bytes = request.bytes;
  write.batch.step =
      engine::ContentRemoval{.is_purge = true, .refs = std::move(params.refs), .cascades = params.cascade};
  write.batch.reason = std::move(params.reason).value_or("");
  if (params.timeout_ms) write.timeout = timeout_of(*params.timeout_ms);
  return write;
}

void write_purge(std::string& out, engine::WriteAnswer const& answer) {
  write_purged(out, answer, false);
}

void write_person_erased(std::string& out, engine::WriteAnswer const& answer) {
  write_purged(out, answer, true);
}

void write_removal(std::string& out, engine::WriteAnswer const& answer) {
  schema::json::Writer writer(out);
  writer.begin_object().member("tx", number(answer.tx));
  write_list(writer, "deleted", answer.removal.deleted);
  write_list(writer, "orphaned", answer.removal.orphaned);
  write_list(writer, "dangling", answer.removal.dangling);
  if (!answer.warnings.empty()) add_warnings(writer, answer.warnings);
  writer.end_object();
}

}  // namespace whence::net
