#pragma once
// A folder of evidence, checked without a server: its files, its proofs, and that they are of the events it shows.

#include "schema/proof/signed_note.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace whence::tools {

/// What a folder was found to be. Where there are failures nothing else is to be believed.
struct FolderReport {
  static constexpr std::size_t failures_max = 100;

  std::vector<std::string> failures = {};  ///< sentences for people, the first `failures_max`
  std::vector<std::string> keys = {};      ///< whose signatures hold
  std::uint64_t events = 0;                ///< lines of events.jsonl
  std::uint64_t proved = 0;                ///< of these, that a bundle has; all of them where it is verified
  std::uint64_t proved_leaves = 0;         ///< of the log in the period, contents of their own among them
  std::uint64_t records = 0;               ///< of these, whose record is the one that was committed to
  std::uint64_t from = 0;                  ///< events of the log before the period; with `has_consistency`
  std::uint64_t to = 0;                    ///< at its end
  bool has_consistency = false;
  bool is_whole = false;                ///< whether the bundles have each leaf of the period
  std::string period = {};              ///< as the folder says it
  std::vector<std::string> scope = {};  ///< as the folder says it; empty: everything in the period

  [[nodiscard]] bool is_verified() const noexcept { return failures.empty(); }
};

/// Checks the folder that `whence evidence` made: that a given key signed the log at the end of its period, that each
/// line of events.jsonl is an event that its bundles prove, each of them once and in the log's order, and that it has
/// its files and no others. Any files are fine. Holds the events of its bundles in memory.
[[nodiscard]] FolderReport check_folder(std::filesystem::path const& folder,
                                        std::span<schema::proof::VerifierKey const> keys);

}  // namespace whence::tools
