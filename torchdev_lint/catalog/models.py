"""Where a program's models may come from, and what may have them move their inputs."""

from __future__ import annotations

LEAVE_INPUTS = frozenset(
    """torch torchvision torchaudio torchtext timm einops transformers torch_geometric torch_scatter
    torch_sparse torch_cluster segmentation_models_pytorch clip efficientnet_pytorch
    pretrainedmodels thop torchsummary torchinfo torchmetrics pytorch_msssim lpips kornia""".split()
)
"""Libraries on top of PyTorch whose models take their inputs as they are."""

WITHOUT_MODELS = frozenset(
    """numpy scipy sklearn skimage pandas cv2 PIL matplotlib seaborn tqdm yaml tensorboardX
    tensorboard wandb omegaconf hydra easydict albumentations imageio h5py nltk plotly visdom
    librosa soundfile tokenizers datasets networkx six future gym gymnasium munch yacs termcolor
    colorama joblib psutil requests rich tabulate prettytable nibabel pydicom SimpleITK rasterio
    open3d trimesh spacy gensim jieba sentencepiece configargparse attr pydantic loguru absl fire
    click optuna IPython pytest setuptools pkg_resources numba shapely sacrebleu rouge mlflow
    ml_collections lmdb msgpack pyarrow openpyxl xlrd Image pycocotools tifffile rdkit ase dotenv
    gdown docopt ipdb gradio streamlit flask fastapi typing_extensions packaging regex tensorflow
    torchviz medpy editdistance jiwer
    pretty_midi mido music21 xgboost lightgbm statsmodels umap faiss""".split()
)
"""Libraries that give programs no model of PyTorch's."""

MAY_MOVE_INPUTS = frozenset(
    """DataParallel DistributedDataParallel DDP FullyShardedDataParallel FSDP fully_shard
    data_parallel dispatch_model device_map pipeline deepspeed register_forward_pre_hook
    jit hub""".split()
)
"""Names in programs whose models may be wrapped, hooked or bound so that they move their inputs.

Hooks that are run behind `forward` come too late for that.
"""
