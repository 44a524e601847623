// What `windlass image` is asked, and which images `windlass run` and `windlass up` use. Plain
// values.
#pragma once

#include <string>

namespace windlass::cli {

// The images of the nodes that this process runs.
struct NodeImages {
  std::string directory = {};  // "" for `images` in default_data_dir()
  bool required = false;       // unknown names are an error; else they stand for the host's root
};

struct ImageOptions {
  enum class Action { add, list, remove };

  Action action = Action::list;
  std::string directory = {};    // "" for `images` in default_data_dir()
  std::string name = {};         // add, remove
  std::string source = {};       // add: a directory or a tar archive
  std::string from_static = {};  // add, instead: a program that needs no libraries
};

}  // namespace windlass::cli
