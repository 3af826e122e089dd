{
  'variables': {
    # `npm run native:sanitize` sets this.
    'sanitize%': 0,
    # The build script sets this if pkg-config finds libsecp256k1.
    'system_secp256k1%': 0,
    # The npm package has the sources of libsecp256k1. The addon compiles them for their arithmetic on public keys.
    'libsecp256k1': '<!(node -p "require(\'node:path\').dirname(require.resolve(\'secp256k1/package.json\')) + \'/src/secp256k1\'")',
  },
  'target_defaults': {
    'defines': ['NAPI_VERSION=8'],
    'cflags': ['-std=c11', '-Wall', '-Wextra', '-fvisibility=hidden'],
    'conditions': [
      ['sanitize==1', {
        'cflags': ['-fsanitize=address,undefined', '-fno-sanitize-recover=undefined', '-fno-omit-frame-pointer', '-g', '-O1'],
        'ldflags': ['-fsanitize=address,undefined'],
      }],
    ],
  },
  'targets': [
    {
      'target_name': 'countersign_native',
      'sources': [
        'addon/addon.c',
        'addon/arguments.c',
        'addon/keccak256.c',
        'addon/p256-keys.c',
        'addon/secp256k1-keys.c',
        'addon/sha256.c',
      ],
      'include_dirs': ['<(libsecp256k1)', '<(libsecp256k1)/src', '<(libsecp256k1)/include'],
      'defines': [
        # The settings of the npm package, except for the field: compilers for ARM have 128-bit integers too.
        'ECMULT_GEN_PREC_BITS=4',
        'ECMULT_WINDOW_SIZE=15',
        'USE_ENDOMORPHISM=1',
        'USE_NUM_NONE=1',
        'USE_FIELD_INV_BUILTIN=1',
        'USE_SCALAR_INV_BUILTIN=1',
      ],
      'cflags': ['-Wno-unused-function', '-Wno-nonnull-compare'],
      # The addon uses its own copy of the library, also if another addon has the same symbols.
      'ldflags': ['-Wl,-Bsymbolic'],
      'conditions': [
        ['OS!="win" and target_arch in "x64 arm64"', {
          'defines': ['HAVE___INT128=1', 'USE_FIELD_5X52=1', 'USE_SCALAR_4X64=1'],
        }, {
          'defines': ['USE_FIELD_10X26=1', 'USE_SCALAR_8X32=1'],
        }],
        ['OS!="win" and target_arch=="x64" and sanitize==0', {
          'defines': ['USE_ASM_X86_64=1'],
        }],
        ['sanitize==1', {
          # The library checks the arguments of its functions.
          'defines': ['VERIFY=1'],
        }],
      ],
    },
  ],
  'conditions': [
    ['OS=="linux"', {
      'targets': [
        {
          # A program, not an addon: it restricts itself before it starts another one.
          'target_name': 'confine',
          'type': 'executable',
          'sources': ['addon/confine.c'],
        },
      ],
    }],
    ['system_secp256k1==1', {
      'targets': [
        {
          'target_name': 'system_signer',
          'sources': ['addon/system-signer.c', 'addon/arguments.c'],
          'cflags': ['<!@(pkg-config --cflags libsecp256k1)'],
          'libraries': ['<!@(pkg-config --libs libsecp256k1)'],
        },
      ],
    }],
  ],
}
