#pragma once
// Output that appears under its name whole or not at all: one file, or a folder of files. A folder that is replaced
// exchanges its name with the new one in one step (`renameat2`), or, where the file system has no such call, is first
// renamed to `PATH.replaced-PID`.

#include "schema/base/error.hpp"
#include "schema/base/sink.hpp"
#include "store/files/files.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace whence::store {

/// Until `commit`, everything is under a name of its own (`Staging`), which the destructor removes. Belongs to one
/// thread.
class Destination final : public schema::SinkFolder {
 public:
  enum class Shape : std::uint8_t { file, folder };

  /// What may be replaced by an output.
  struct Replacing {
    bool is_allowed = false;
    std::vector<std::string> own_names = {};  ///< a folder is replaced only if it holds nothing else; empty: anything
  };

  /// Fails with `conflict` where something exists that may not be replaced, and with `not_found` where the parent
  /// folder does not exist.
  [[nodiscard]] static Result<Destination> create(std::filesystem::path path, Shape shape, Replacing const& replacing);
  Destination(Destination&& other) noexcept;
  Destination& operator=(Destination&&) = delete;
  ~Destination() override;

  /// Opens the one file, whose summary has the name of the destination, or one more file of the folder, whose name is
  /// one component. Throws std::system_error.
  [[nodiscard]] std::unique_ptr<schema::Sink> open(std::string_view name) override;

  /// Gives the output its name, durably. All sinks are finished. Throws std::system_error: `file_exists` where
  /// something has come meanwhile that it may not replace; that stays.
  void commit();

 private:
  Destination(std::filesystem::path path, Shape shape, Replacing replacing);

  std::filesystem::path path_;
  Staging staging_;
  Shape shape_;
  Replacing replacing_;
  bool is_pending_ = true;
};

/// Removes a file or a folder with everything in it, as far as the system lets it. O(files in it): never call it with a
/// mutex held.
void remove_tree(std::filesystem::path const& path) noexcept;

}  // namespace whence::store
