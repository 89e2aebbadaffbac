#pragma once
// The log's events as a tree that anybody can check (RFC 9162), with signed checkpoints of it.

#include "engine/tree/event_tree.hpp"
#include "engine/values/write_answer.hpp"
#include "engine/values/written_content.hpp"
#include "net/proof/log_keys.hpp"
#include "queries/proof/event_leaves.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "schema/proof/checkpoint.hpp"
#include "schema/records/prov/records.hpp"
#include "schema/threads/woken_thread.hpp"
#include "schema/types/ref.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::engine {
class Engine;
}

namespace whence::net {

/// A checkpoint as a signed note (C2SP tlog-checkpoint). Without a note: none was signed yet.
struct SignedCheckpoint {
  std::uint64_t size = 0;  ///< events in it
  std::string note = {};
  std::string key = {};  ///< by which verifiers know the signature
  /// The key before, which signed too.
  struct Earlier {
    std::string key;
    schema::Time until;
  };
  std::optional<Earlier> earlier = {};
};

/// What a change of the log's key has made.
struct KeyChange {
  schema::TxId tx;     ///< which records it
  std::string ref;     ///< of the record
  std::string key;     ///< the new one, as verifiers know it
  schema::Time until;  ///< up to then the one before signs too
};

/// The record that says that a log's key is handed over to `vkey`.
[[nodiscard]] schema::NodeRef key_change_ref(std::string_view vkey);

/// Follows the engine's head on a thread of its own: adds each transaction's events to the tree, and signs its size and
/// root when it has caught up. Every member may be called from any thread.
///
/// The keys are `log.key` in the store's directory, made at the first start.
class TransparencyLog {
 public:
  /// `engine` outlives it; `head` gives the newest view. `name` is the store's, for the origin `whence/NAME` of
  /// checkpoints. `report` gets what the thread could not do: reads and writes go on without it.
  /// `clock` outlives it.
  TransparencyLog(engine::Engine const& engine, schema::Clock const& clock, std::function<queries::View()> head,
                  std::string_view name, schema::TroubleReport report);
  /// As `stop`.
  ~TransparencyLog();
  TransparencyLog(TransparencyLog const&) = delete;
  TransparencyLog& operator=(TransparencyLog const&) = delete;

  /// Ends following; again: no effect.
  void stop();
  /// There are new transactions. Never blocks for long.
  void on_published() { thread_.wake(); }

  /// The tree, once there is a checkpoint of it.
  [[nodiscard]] engine::EventTree const& tree() const noexcept { return opened_->tree; }
  /// The newest checkpoint with its signature: of a moment at which the tree had caught up.
  [[nodiscard]] SignedCheckpoint checkpoint() const;
  /// The size and root of that; nothing before the first.
  [[nodiscard]] std::optional<schema::proof::TreeHead> signed_tree() const;
  /// What contradicts it in the tree as it is: a checkpoint that this node signed before, in this run or an earlier
  /// one.
  [[nodiscard]] std::optional<std::string> own_fork() const;
  /// The same once it covers `tx`. Fails with `busy` where that takes longer than a second.
  [[nodiscard]] Result<SignedCheckpoint> checkpoint_at(schema::TxId tx) const;
  /// The tree as it was after transaction `tx`, which is at most that of the newest checkpoint, signed now.
  [[nodiscard]] SignedCheckpoint checkpoint_after(schema::TxId tx) const;
  /// The leaves of transaction `tx`, made from the log again, and the contents that they commit to; with lines for the
  /// nodes alone that `wanted` names. Fails with `corrupt`, with `not_found` above the head.
  struct Leaves {
    queries::EventLeaves leaves;
    std::vector<engine::WrittenContent> contents;
  };
  [[nodiscard]] Result<Leaves> read_leaves(schema::TxId tx, queries::WantedLines const& wanted = {}) const;

  /// Writes a record and waits until it is durable.
  using WriteRecord = std::function<Result<engine::WriteAnswer>(schema::ProvEntity record)>;
  /// Hands the log over to a fresh key, in a record that the present key signs; for the time `overlap` the present one
  /// signs too. The record is written before the new key signs anything: where the process ends between, the present
  /// key goes on, and the record names a key that is not there. Fails with `conflict` where the key before the present
  /// one still signs and `overlap` is not 0, as `write` and as `checkpoint_at`. Throws std::system_error.
  [[nodiscard]] Result<KeyChange> change_key(std::chrono::seconds overlap, WriteRecord const& write);
  /// The texts of the present key and of those before it, newest first.
  [[nodiscard]] std::vector<std::string> verifier_keys() const;

 private:
  struct Opened {
    engine::EventTree tree;
  };

  [[nodiscard]] schema::WokenThread::Sleep sleep() const;
  void open();
  void follow();
  void take_some(queries::View const& head);
  void sign();
  void compare_with(schema::proof::TreeHead const& earlier);
  void read_kept();
  void keep_checkpoint();
  void drop_expired();
  [[nodiscard]] std::shared_ptr<LogKeys const> keys() const;
  void take_keys(LogKeys keys);
  [[nodiscard]] std::filesystem::path key_file() const;

  engine::Engine const& engine_;
  schema::Clock const& clock_;
  std::function<queries::View()> const head_;
  std::string const origin_;
  std::unique_ptr<Opened> opened_ = {};  ///< set before the first checkpoint, then constant
  std::mutex changing_;                  ///< held while the keys change, by whom writes their file
  mutable std::mutex mutex_;
  mutable std::condition_variable signed_;
  std::shared_ptr<LogKeys const> keys_ = {};  ///< guarded by mutex_, as all below; null until they are read
  SignedCheckpoint checkpoint_ = {};
  std::optional<schema::proof::TreeHead> signed_tree_ = {};
  std::optional<std::string> own_fork_ = {};
  schema::TxId covered_{0};
  std::optional<schema::proof::TreeHead> kept_ = {};    ///< of a run before, until it was compared; the thread's
  std::chrono::steady_clock::time_point kept_at_ = {};  ///< likewise
  bool is_closed_ = false;                              ///< of whom stops it
  schema::WokenThread thread_;                          ///< last: joined before what it uses goes
};

}  // namespace whence::net
