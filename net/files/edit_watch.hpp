#pragma once
// Notices that the file of a discussion was written, by this program or another.

#include "engine/values/write_answer.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <unordered_map>

namespace whence::net {

/// Reports the JSON files of a folder: of each that is there at first, then of each that is written. The kernel says
/// when (inotify); of a user's folder beyond what it watches nothing is reported. One thread, which calls `changed`.
class EditWatch {
 public:
  using Changed = std::function<void(engine::DiscussionIds const&)>;

  /// Throws std::system_error where the kernel has no room for a watch.
  EditWatch(std::filesystem::path folder, Changed changed);
  /// After the call that runs.
  ~EditWatch();
  EditWatch(EditWatch const&) = delete;
  EditWatch& operator=(EditWatch const&) = delete;

 private:
  void run();
  void add_all();
  bool take_events();
  void add_user(std::string const& name);
  void tell(std::string const& user, std::string const& file) const;
  [[nodiscard]] bool is_stopping() const;

  std::filesystem::path const folder_;
  Changed const changed_;
  int const events_;
  int const stopping_;
  int const root_;
  std::unordered_map<int, std::string> users_ = {};  ///< names of folders by watch; of the thread
  std::jthread thread_;                              ///< last: ends before what it uses
};

}  // namespace whence::net
