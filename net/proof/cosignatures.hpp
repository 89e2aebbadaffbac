#pragma once
// What witnesses signed of a log (C2SP tlog-cosignature), kept beside the store.

#include "schema/base/error.hpp"
#include "schema/base/time.hpp"
#include "schema/proof/checkpoint.hpp"
#include "schema/proof/signed_note.hpp"
#include "schema/threads/thread_guard.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace whence::net {

/// A witness saw a checkpoint.
struct Cosignature {
  std::string key;           ///< of the witness, as verifiers know it
  std::uint64_t time_s = 0;  ///< when, in seconds since 1970

  friend bool operator==(Cosignature const&, Cosignature const&) = default;
};

/// A checkpoint with what witnesses signed of it.
struct CosignedCheckpoint {
  schema::proof::TreeHead tree = {};
  std::string note = {};  ///< the log's signatures, and those of witnesses
  std::vector<Cosignature> witnesses = {};
};

/// The newest cosignature of each witness, in a file that follows each change. Any thread may use it; only who takes
/// one waits for the disk.
class Cosignatures {
 public:
  /// Whether a tree is one that the log has, or had when it was smaller. After an import or a restore the store has
  /// another log, and what was signed before is of no use.
  using IsOfLog = std::function<bool(schema::proof::TreeHead const& tree)>;

  /// Those in the file `path` that are by `witnesses`: at most `witnesses_max` (net/base/service_config.hpp) keys of
  /// type `cosignature`. A file that does not read as it was written is reported, and what does not is left out; so is
  /// what is not by a witness. Both go with the next change.
  Cosignatures(std::filesystem::path path, std::vector<schema::proof::VerifierKey> witnesses,
               schema::TroubleReport const& report);

  /// Those of this log, newest first; what several witnesses signed is one.
  [[nodiscard]] std::vector<CosignedCheckpoint> all(IsOfLog const& is_of_log) const;

  /// The checkpoint `note` with what witnesses signed of it.
  [[nodiscard]] std::string added_to(std::string note) const;

  /// Keeps what witnesses signed of a note that `log_keys` signed too, each where it is newer than what is kept of this
  /// log; on disk when this returns. Signatures of others are dropped. Answers what is kept of the note, which is
  /// without witnesses where all have signed something newer. Fails with `invalid_params` at "/note", rule
  /// `cosignature`, where no witness signed the note, a signature does not hold, or its time is over five minutes after
  /// `now`. Throws std::system_error.
  [[nodiscard]] Result<CosignedCheckpoint> take(schema::proof::SignedNote const& note,
                                                schema::proof::Checkpoint const& checkpoint,
                                                std::span<schema::proof::VerifierKey const> log_keys, schema::Time now,
                                                IsOfLog const& is_of_log);

 private:
  /// The newest of one witness.
  struct Kept {
    std::size_t witness;  ///< its place among the keys
    schema::proof::TreeHead tree;
    std::uint64_t time_s;
    std::string text;                                       ///< of the note
    std::vector<schema::proof::NoteSignature> by_log = {};  ///< at least one
    schema::proof::NoteSignature by_witness = {};

    friend bool operator==(Kept const&, Kept const&) = default;
  };

  [[nodiscard]] std::vector<Kept> read(schema::proof::SignedNote const& note,
                                       schema::proof::Checkpoint const& checkpoint) const;
  [[nodiscard]] std::vector<Kept> kept() const;
  [[nodiscard]] CosignedCheckpoint joined(std::span<Kept const> of_one_text) const;
  static void keep(std::vector<Kept>& kept, Kept each);
  void load(schema::TroubleReport const& report);
  void save(std::span<Kept const> kept) const;

  std::filesystem::path const path_;
  std::vector<schema::proof::VerifierKey> const witnesses_;
  std::mutex taking_;  ///< held while the file is written
  mutable std::mutex mutex_;
  std::vector<Kept> kept_ = {};  ///< guarded by mutex_; changed by who holds taking_
};

}  // namespace whence::net
