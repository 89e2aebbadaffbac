#pragma once
// What root writes in another user's store becomes that user's: else the server, which runs as that user, could not
// open it.

#include <filesystem>

namespace whence::tools {

/// Made before work on the store in `directory`, which may be absent. At its end, where root did the work, every plain
/// file there that is root's gets owner and group of the directory; a directory that was made meanwhile first gets
/// those of the one it is in. Does nothing for other users, and for what is root's anyway. What cannot be given away is
/// left: the next opening names it.
class StoreOwner {
 public:
  explicit StoreOwner(std::filesystem::path directory);
  ~StoreOwner();
  StoreOwner(StoreOwner const&) = delete;
  StoreOwner& operator=(StoreOwner const&) = delete;

 private:
  std::filesystem::path directory_;
  bool is_new_ = false;
};

}  // namespace whence::tools
