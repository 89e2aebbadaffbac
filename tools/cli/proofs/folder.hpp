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
  std::uint64_t proved = 0;                ///< of these, that a bundle has
  std::uint64_t records = 0;               ///< of these, whose record is the one that was committed to
  std::uint64_t from = 0;                  ///< events of the log before the period; with `has_consistency`
  std::uint64_t to = 0;                    ///< at its end
  bool has_consistency = false;

  [[nodiscard]] bool is_verified() const noexcept { return failures.empty(); }
};

/// Checks the folder that `whence evidence` made. Any files are fine. Holds the events of its bundles in memory.
[[nodiscard]] FolderReport check_folder(std::filesystem::path const& folder,
                                        std::span<schema::proof::VerifierKey const> keys);

}  // namespace whence::tools
