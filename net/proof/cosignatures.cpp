// The file: a JSON array of signed notes, one for each witness, with the log's signatures and its own.

#include "net/proof/cosignatures.hpp"

#include "engine/tree/private_file.hpp"
#include "net/params/params.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <tuple>
#include <utility>

namespace whence::net {
namespace {

namespace proof = schema::proof;

/// Clocks of two machines may differ.
constexpr std::int64_t clock_difference_s = 300;
/// The end of the year 9999.
constexpr std::uint64_t seconds_max = 253'402'300'799;

Error refused(std::string message) {
  return error_from(param_violation("cosignature", "/note", "", std::move(message)));
}

/// The signatures of `note` by the keys, one of each, which hold.
std::vector<proof::NoteSignature> signatures_by(std::span<proof::VerifierKey const> keys,
                                                proof::SignedNote const& note) {
  std::vector<proof::NoteSignature> found;
  for (auto const& signature : note.signatures) {
    if (std::ranges::find(found, signature.key_id, &proof::NoteSignature::key_id) != found.end()) continue;
    if (proof::verify_note({.text = note.text, .signatures = {signature}}, keys)) found.push_back(signature);
  }
  return found;
}

}  // namespace

Cosignatures::Cosignatures(std::filesystem::path path, std::vector<proof::VerifierKey> witnesses,
                           schema::TroubleReport const& report)
    : path_(std::move(path)), witnesses_(std::move(witnesses)) {
  load(report);
}

void Cosignatures::load(schema::TroubleReport const& report) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return;
  std::ifstream file(path_, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>{file}, {}};
  auto const document = schema::json::parse(text);
  bool is_whole = document && document->value.is_array();
  if (is_whole) {
    for (auto const& each : document->value.get_array()) {
      auto const note = proof::parse_note(each.is_string() ? std::string_view{each.get_string()} : std::string_view{});
      auto const checkpoint = note ? proof::parse_checkpoint(note->text) : Result<proof::Checkpoint>{note.error()};
      if (!checkpoint) {
        is_whole = false;
        continue;
      }
      for (auto& one : read(*note, *checkpoint)) keep(kept_, std::move(one));
    }
  }
  if (!is_whole && report) report("cosignatures: " + path_.string() + " does not read as it was written");
}

/// What witnesses signed; all other signatures are taken for the log's, which this does not look at.
std::vector<Cosignatures::Kept> Cosignatures::read(proof::SignedNote const& note,
                                                   proof::Checkpoint const& checkpoint) const {
  std::vector<Kept> found;
  std::vector<proof::NoteSignature> others;
  for (auto const& signature : note.signatures) {
    auto const verified = proof::verify_note({.text = note.text, .signatures = {signature}}, witnesses_);
    if (!verified || verified->front().time_s.value_or(0) > seconds_max) {
      others.push_back(signature);
      continue;
    }
    keep(found, {.witness = verified->front().key,
                 .tree = checkpoint.tree,
                 .time_s = verified->front().time_s.value_or(0),
                 .text = note.text,
                 .by_witness = signature});
  }
  for (auto& each : found) each.by_log = others;
  return found;
}

/// Replaces what the same witness signed before.
void Cosignatures::keep(std::vector<Kept>& kept, Kept each) {
  auto const known = std::ranges::find(kept, each.witness, &Kept::witness);
  if (known == kept.end()) {
    kept.push_back(std::move(each));
  } else if (std::tie(known->tree.size, known->time_s) < std::tie(each.tree.size, each.time_s)) {
    *known = std::move(each);
  }
}

void Cosignatures::save(std::span<Kept const> kept) const {
  std::string text;
  schema::json::Writer out(text);
  out.begin_array();
  for (auto const& each : kept) out.value(joined({&each, 1}).note);
  out.end_array();
  engine::write_privately(path_, text + '\n');
}

CosignedCheckpoint Cosignatures::joined(std::span<Kept const> of_one_text) const {
  auto const& first = of_one_text.front();
  CosignedCheckpoint made{.tree = first.tree};
  proof::SignedNote note{.text = first.text, .signatures = first.by_log};
  for (auto const& each : of_one_text) {
    note.signatures.push_back(each.by_witness);
    made.witnesses.push_back({witnesses_[each.witness].text(), each.time_s});
  }
  made.note = proof::format_note(note);
  return made;
}

std::vector<Cosignatures::Kept> Cosignatures::kept() const {
  std::scoped_lock const lock(mutex_);
  return kept_;
}

std::vector<CosignedCheckpoint> Cosignatures::all(IsOfLog const& is_of_log) const {
  auto found = kept();
  std::erase_if(found, [&](Kept const& each) { return !is_of_log(each.tree); });
  std::ranges::sort(found, [](Kept const& one, Kept const& other) {
    return std::tie(other.tree.size, one.text, one.witness) < std::tie(one.tree.size, other.text, other.witness);
  });
  std::vector<CosignedCheckpoint> made;
  for (auto begin = found.begin(); begin != found.end();) {
    auto const end = std::find_if(begin, found.end(), [&](Kept const& each) { return each.text != begin->text; });
    made.push_back(joined({begin, end}));
    begin = end;
  }
  return made;
}

std::string Cosignatures::added_to(std::string note) const {
  auto parsed = proof::parse_note(note);
  if (!parsed) return note;
  for (auto& each : kept()) {
    if (each.text == parsed->text) parsed->signatures.push_back(std::move(each.by_witness));
  }
  return proof::format_note(*parsed);
}

Result<CosignedCheckpoint> Cosignatures::take(proof::SignedNote const& note, proof::Checkpoint const& checkpoint,
                                              std::span<proof::VerifierKey const> log_keys, schema::Time now,
                                              IsOfLog const& is_of_log) {
  if (auto const all = proof::verify_note(note, witnesses_); !all) {
    return refused(witnesses_.empty() ? "the server has no --witness"
                                      : "no witness of this log signed it, or a signature by one does not hold");
  }
  auto const by_log = signatures_by(log_keys, note);
  auto given = read(note, checkpoint);
  for (auto& each : given) {
    each.by_log = by_log;
    if (each.time_s > static_cast<std::uint64_t>(std::max<std::int64_t>(0, now.seconds + clock_difference_s))) {
      return refused("the time of a cosignature is in the future");
    }
  }
  std::scoped_lock const one(taking_);
  auto const before = kept();
  auto after = before;
  std::erase_if(after, [&](Kept const& each) { return !is_of_log(each.tree); });
  for (auto const& each : given) keep(after, each);
  if (after != before) {
    save(after);
    std::scoped_lock const lock(mutex_);
    kept_ = after;
  }
  std::erase_if(given, [&](Kept const& each) { return std::ranges::find(after, each) == after.end(); });
  return given.empty() ? CosignedCheckpoint{.tree = checkpoint.tree} : joined(given);
}

}  // namespace whence::net
