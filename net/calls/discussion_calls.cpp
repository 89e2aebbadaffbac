// What was edited in a file is taken, then both files are written from the store. `from_file` also deletes what the
// file lacks.

#include "net/calls/discussion_calls.hpp"

#include "net/files/discussion_files.hpp"
#include "net/params/params.hpp"
#include "net/params/step_params.hpp"
#include "net/state/service_state.hpp"
#include "queries/discussion/difference.hpp"
#include "queries/discussion/earlier.hpp"
#include "queries/discussion/load.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace whence::net {

namespace {

using queries::Difference;
using queries::DifferenceKind;
using schema::DiscussionState;
using schema::json::DiscussionFile;

constexpr int attempts_max = 5;  ///< of a repair, where the discussion changed since the comparison

Result<store::PairedFiles*> files_of(ServiceState& service) {
  auto* const files = service.engine.files();
  if (files != nullptr) return files;
  return error_from(Violation{.code = Errc::precondition,
                              .rule = "files",
                              .message = "this server has no folder for files: serve --files DIR"});
}

/// What was written, and the transaction it shows.
struct Written {
  store::PairPaths paths;
  schema::TxId tx;
};

/// Both files as the store has the discussion when its turn comes.
Result<Written> write_files(ServiceState& service, store::PairedFiles& files, store::PairName const& name) {
  schema::TxId tx{};
  auto const make = [&]() -> Result<store::PairTexts> {
    auto const view = service.view();
    tx = view.snapshot.tx();
    auto state = queries::load_discussion(view, name.folder, name.name);
    if (!state) return state.error();
    return texts_of(queries::without_open_round(std::move(*state)), view.token_rules);
  };
  auto paths = files.write(name, make);
  if (!paths) return paths.error();
  return Written{std::move(*paths), tx};
}

/// A discussion as stored and as its files have it.
struct Compared {
  DiscussionState stored;  ///< its open round too; only the ids of an unknown one
  bool is_known = true;    ///< in the store
  queries::FoundDiscussion found;
  queries::EarlierContents earlier;
  std::vector<Difference> differences;

  [[nodiscard]] bool has(DifferenceKind kind) const {
    return std::ranges::find(differences, kind, &Difference::kind) != differences.end();
  }
  /// The file, where there is one that can be read.
  [[nodiscard]] DiscussionFile const* file() const {
    return found.json && found.json->has_value() ? &found.json->value() : nullptr;
  }
};

/// Times in a file may be of any age; a later one than now is refused as in any record.
schema::CheckContext context_of(ServiceState& service) {
  auto const& config = service.engine.config();
  return {.latest_time = schema::plus_seconds(service.clock.now(), config.future_tolerance_s)};
}

Result<Compared> compare(ServiceState& service, store::PairedFiles& files, store::PairName const& name) {
  auto texts = files.read(name);
  if (!texts) return texts.error();
  auto const view = service.view();
  auto stored = queries::load_discussion(view, name.folder, name.name);
  bool const is_known = stored || stored.error().code != Errc::not_found;
  if (!stored && (is_known || !texts->json)) return stored.error();
  if (!stored) stored = DiscussionState{.discussion = {.user_id = name.folder, .discussion_id = name.name}};
  Compared compared{.stored = std::move(*stored), .is_known = is_known, .found = {}, .earlier = {}, .differences = {}};
  auto const complete = queries::without_open_round(compared.stored);
  compared.found = parse_found(view, std::move(*texts), name, context_of(service), is_known ? &complete : nullptr);
  if (compared.found.json && compared.found.json->has_value()) {
    auto& file = compared.found.json->value();
    (void)queries::leave_out_gone(view, is_known ? &complete.discussion : nullptr, file.state);
  }
  // An unknown discussion is taken whole, also where it was deleted.
  if (auto const* file = compared.file(); file != nullptr && is_known) {
    auto earlier = queries::load_earlier(view, file->state, complete);
    if (!earlier) return earlier.error();
    compared.earlier = std::move(*earlier);
  }
  compared.differences = queries::differences(compared.found, complete, view.token_rules, compared.earlier);
  return compared;
}

/// Writes both files again from the content of the JSON file, where its token count is off by a little. Returns how
/// many differences that repaired.
Result<std::size_t> repair_tokens(ServiceState& service, store::PairedFiles& files, store::PairName const& name,
                                  Compared const& compared) {
  auto const* file = compared.file();
  auto const& rules = service.engine.config().token_rules;
  if (!compared.is_known || file == nullptr || !file->token_count) return 0;
  if (!compared.has(DifferenceKind::token_count)) return 0;
  if (!queries::is_small(*file->token_count, queries::computed_tokens(*file, rules))) return 0;
  auto const written = files.write(name, [&]() -> Result<store::PairTexts> {
    auto made = texts_of(file->state, rules);
    made.is_edited = true;
    return made;
  });
  if (!written) return written.error();
  return 1;
}

/// What the store is to hold; nothing where it holds that already.
std::optional<DiscussionState> wanted_state(Repair repair, Compared const& compared) {
  auto const* file = compared.file();
  if (file == nullptr) return std::nullopt;
  auto const complete = queries::without_open_round(compared.stored);
  auto const standing = queries::standing_of(file->state, complete, compared.earlier);
  bool const takes_all = repair == Repair::from_file;
  if (compared.is_known && standing.edits.empty() && !(takes_all && standing.is_behind)) return std::nullopt;
  return takes_all ? file->state : queries::merged(file->state, complete, compared.earlier);
}

engine::WriteBatch batch_of(schema::Author const& author) {
  engine::WriteBatch batch;
  batch.actor = author.actor;
  batch.who = author.who;
  return batch;
}

/// Records a discussion that only its file has, then writes both files.
Result<std::size_t> make_discussion(ServiceState& service, store::PairedFiles& files, store::PairName const& name,
                                    Compared const& compared, DiscussionState wanted, schema::Author const& author) {
  auto batch = batch_of(author);
  batch.keeps_derived = true;  // a copy of what another program recorded: rounds may be missing
  batch.records.push_back({.record = std::move(wanted.discussion)});
  for (auto& round : wanted.rounds) batch.records.push_back({.record = std::move(round)});
  for (auto& summary : wanted.summaries) batch.records.push_back({.record = std::move(summary)});
  if (auto const made = service.engine.write(std::move(batch)); !made) return made.error();
  if (auto const written = write_files(service, files, name); !written) return written.error();
  return compared.differences.size();
}

/// The store follows the file, then both files follow the store.
Result<std::size_t> repair_all(Repair repair, ServiceState& service, store::PairedFiles& files,
                               store::PairName const& name, Compared const& compared, schema::Author const& author) {
  if (compared.has(DifferenceKind::unreadable) || (compared.is_known && compared.differences.empty())) return 0;
  if (auto wanted = wanted_state(repair, compared)) {
    if (!compared.is_known) return make_discussion(service, files, name, compared, std::move(*wanted), author);
    auto batch = batch_of(author);
    batch.step = engine::DiscussionRestoring{.state = std::move(*wanted), .before = compared.stored};
    auto const restored = service.engine.write(std::move(batch));
    if (!restored) return restored.error();
  }
  auto const written = write_files(service, files, name);
  if (!written) return written.error();
  return compared.differences.size();
}

Result<std::size_t> repair(Repair repair, ServiceState& service, store::PairedFiles& files, store::PairName const& name,
                           Compared const& compared, schema::Author const& author) {
  switch (repair) {
    case Repair::none:
      return 0;
    case Repair::tokens:
      return repair_tokens(service, files, name, compared);
    case Repair::all:
    case Repair::from_file:
      return repair_all(repair, service, files, name, compared, author);
  }
  return 0;
}

void write_side(schema::json::Writer& out, std::string_view name, std::optional<std::string> const& json) {
  out.key(name);
  json ? out.raw(*json) : out.null();
}

std::string result_of(Compared const& compared, schema::TxId tx, std::size_t repaired) {
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("tx", number(tx)).key("differences").begin_array();
  for (Difference const& each : compared.differences) {
    out.begin_object().member("path", each.path).member("kind", schema::name_of(each.kind));
    write_side(out, "file", each.file);
    write_side(out, "store", each.store);
    out.end_object();
  }
  out.end_array().member("repaired", std::uint64_t{repaired});
  if (auto const* file = compared.file(); file != nullptr && !compared.is_known && !file->kept.empty()) {
    out.key("kept").begin_array();
    for (auto const& each : file->kept) out.value(each.path);
    out.end_array();
  }
  out.end_object();
  return text;
}

}  // namespace

Result<std::string> write_discussion(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<FilesParams>(params);
  if (!asked) return asked.error();
  auto const files = files_of(service);
  if (!files) return files.error();
  auto const written = write_files(service, **files, {.folder = asked->user_id, .name = asked->discussion_id});
  if (!written) return written.error();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("tx", number(written->tx)).member("json", written->paths.json);
  out.member("md", written->paths.markdown).end_object();
  return text;
}

Result<std::string> reconcile_discussion(ServiceState& service, boost::json::object const& params,
                                         Progress const& progress) {
  auto const asked = parse_params<ReconcileParams>(params);
  if (!asked) return asked.error();
  auto const files = files_of(service);
  if (!files) return files.error();
  store::PairName const name{.folder = asked->user_id, .name = asked->discussion_id};
  for (int attempt = 1;; ++attempt) {
    auto const compared = compare(service, **files, name);
    if (!compared) return compared.error();
    auto const repaired = repair(asked->repair, service, **files, name, *compared, progress.author);
    if (repaired) return result_of(*compared, service.engine.snapshot().tx(), *repaired);
    if (repaired.error().code != Errc::precondition || attempt == attempts_max) return repaired.error();
  }
}

void look_at_files(ServiceState& service, engine::DiscussionIds const& ids) {
  store::PairName const name{.folder = ids.user_id, .name = ids.discussion_id};
  auto* const files = service.engine.files();
  auto texts = files->read(name);
  if (!texts) return;
  auto const view = service.view();
  auto const key = schema::discussion_key(name.folder, name.name);
  if (!view.snapshot.find(schema::RecordType::discussion, key)) return;
  // After a start: what is as the store has it was written from it.
  auto const known = texts->written ? store::FoundPair{} : *texts;
  auto const following = following_of(view, name, std::move(*texts), context_of(service));
  if (!following) return;
  if (following->reason.empty()) {
    bool const is_write = known.json && following->step == FollowStep::write;
    if (is_write && *known.json == texts_of(following->state, view.token_rules).json) files->recognize(name, known);
    return;
  }
  if (!service.config.takes_file_edits) return service.files->report_edited(ids, following->reason);
  schema::Author const author{.actor = "files"};
  for (int attempt = 1; attempt <= attempts_max; ++attempt) {
    auto const compared = compare(service, *files, name);
    if (!compared) return service.files->report_edited(ids, compared.error().message);
    auto const repaired = repair(Repair::from_file, service, *files, name, *compared, author);
    if (repaired && *repaired > 0)
      return service.files->report_edited(ids, "what was edited in the JSON file is taken");
    if (repaired) break;
    if (repaired.error().code != Errc::precondition || attempt == attempts_max) {
      return service.files->report_edited(ids, repaired.error().message);
    }
  }
  service.files->report_edited(ids, following->reason);
}

bool asks_for_repair(boost::json::object const& params) {
  auto const* repair = params.if_contains("repair");
  return repair != nullptr && !repair->is_null() && *repair != "none";
}

}  // namespace whence::net
