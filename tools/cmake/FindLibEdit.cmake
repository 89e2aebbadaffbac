# libedit, which Debian ships without a CMake package: the target Edit::Edit.
find_path(EDIT_INCLUDE_DIR histedit.h)
find_library(EDIT_LIBRARY edit)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibEdit DEFAULT_MSG EDIT_LIBRARY EDIT_INCLUDE_DIR)

if(LibEdit_FOUND AND NOT TARGET Edit::Edit)
  add_library(Edit::Edit UNKNOWN IMPORTED)
  set_target_properties(Edit::Edit PROPERTIES
    IMPORTED_LOCATION "${EDIT_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${EDIT_INCLUDE_DIR}")
endif()
